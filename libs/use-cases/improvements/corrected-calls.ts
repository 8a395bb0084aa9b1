import type { Application } from '#application/application.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';

/** Number of recorded calls of a training job's model whose answers were marked incorrect. */
export const correctedCalls = ({ ports }: Application, workspaceId: string, trainingJobId: string): Promise<number> =>
  inferenceDocuments.count(ports.readStore, {
    where: { workspaceId },
    filter: { where: { trainingJobId, verdict: 'incorrect' } },
  });
