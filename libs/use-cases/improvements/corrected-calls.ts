import type { Application } from '#application/application.js';
import { WRONG_VERDICTS } from '#domain/feedback/index.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';

/** Number of recorded calls of a training job's model whose answers were wrong by their verdict. */
export const correctedCalls = ({ ports }: Application, workspaceId: string, trainingJobId: string): Promise<number> =>
  inferenceDocuments.count(ports.readStore, {
    where: { workspaceId },
    filter: { where: { trainingJobId, verdict: WRONG_VERDICTS } },
  });
