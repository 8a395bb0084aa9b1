import { batchDecider } from '#domain/batch/index.js';
import { streamName } from '#domain/streams.js';
import type { Application } from './application.js';

/** A call that a request of a batch became, on the log. */
export interface BatchCall {
  readonly requestId: string;
  readonly inferenceId: string;
  readonly errorType: string | null;
  readonly costPicodollars: string;
}

/** The calls of a batch that are on the log now. */
export async function* callsOfBatch(
  { ports: { eventStore } }: Application,
  batchId: string,
): AsyncGenerator<BatchCall> {
  for await (const first of eventStore.readStream(streamName('batch', batchId), { limit: 1 })) {
    const { workspaceId } = first.metadata;
    const filter = { types: ['call-metered.v1'] };
    for await (const { data, metadata } of eventStore.readAll({ after: first.position, filter })) {
      const requestId = metadata.correlationId;
      if (metadata.workspaceId !== workspaceId || !requestId?.startsWith(`batch_${batchId}_`)) continue;
      yield { ...(data as unknown as Omit<BatchCall, 'requestId'>), requestId };
    }
  }
}

/** What the calls of a batch have cost, in picodollars, while it is open; 0 afterwards: nothing more is spent. */
export async function costOfOpenBatch(application: Application, batchId: string): Promise<bigint> {
  const { status } = await application.load(batchDecider, batchId);
  let cost = 0n;
  if (status === 'in_progress' || status === 'cancelling')
    for await (const { costPicodollars } of callsOfBatch(application, batchId)) cost += BigInt(costPicodollars);
  return cost;
}
