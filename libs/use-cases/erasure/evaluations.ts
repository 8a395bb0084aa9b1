import type { Application } from '#application/application.js';
import { evaluationDecider } from '#domain/evaluation/index.js';
import { requireNoHold, retentionDecider } from '#domain/retention/index.js';
import type { CommandContext } from '#log/context.js';
import { evaluationDocuments } from '#projections/evaluations/queries.js';
import { removeStored } from './work/reaper/stored.js';

interface ErasedEvaluation {
  readonly workspaceId: string;
  readonly evaluationId: string;
}

/**
 * Erases rows, answers and verdicts of an evaluation that has ended. Its figures stay.
 * @throws NotFoundError; ConflictError while it is running, or a hold covers it
 */
export async function erasePredictions(
  application: Application,
  { workspaceId, evaluationId }: ErasedEvaluation,
  context: CommandContext,
): Promise<void> {
  requireNoHold(await application.load(retentionDecider, workspaceId), { kind: 'evaluation', id: evaluationId });
  const command = { type: 'erase-predictions', evaluationId, workspaceId } as const;
  await application.execute(evaluationDecider, evaluationId, command, context, [evaluationDocuments.collection]);
  // The worker's sweep completes this if the process dies earlier. The key goes with the last object.
  await removeStored(application.ports, { kind: 'evaluation', id: evaluationId });
}
