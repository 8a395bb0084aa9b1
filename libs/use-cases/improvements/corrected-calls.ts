import type { Application } from '#application/application.js';
import { WRONG_VERDICTS } from '#domain/feedback/index.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';

/** Those of a training job's model; or those of a name that asked for a generated text, whoever answered them. */
type CallsOf = { readonly trainingJobId: string } | { readonly modelKey: string; readonly task: 'generate' };

/** Number of recorded calls whose answers were wrong by their verdict. */
export const correctedCalls = ({ ports }: Application, workspaceId: string, of: CallsOf): Promise<number> =>
  inferenceDocuments.count(ports.readStore, {
    where: { workspaceId },
    filter: { where: { ...of, verdict: WRONG_VERDICTS } },
  });
