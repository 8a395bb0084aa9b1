import type { Application } from '#application/application.js';
import type { BatchEvent } from '#domain/batch/index.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { inTurns } from '#primitives/fair-share/turns.js';
import { BatchWork, type BatchTiming } from './batch-work.js';

/** Batches that have not ended, by id, oldest first. */
type OpenBatches = ReadonlyMap<string, OpenBatch>;

interface OpenBatch {
  readonly batchId: string;
  readonly workspaceId: string;
}

/** Calls of a worker for all batches. */
const CALLS_AT_ONCE = 16;
const LOOKED_AT = 64;

/** Has the requests of batches answered, workspaces in turns of calls. */
export function batches(
  application: Application,
  timing: BatchTiming = {},
): ProcessManager<OpenBatches, OpenBatch, BatchEvent> {
  const work = new BatchWork(application, new FairSlots(CALLS_AT_ONCE), timing);
  return {
    name: 'batches',
    initial: new Map(),
    on: OPEN,
    pending: (open) => [...inTurns(open.values()).take(LOOKED_AT)],
    key: ({ batchId }) => batchId,
    workspaceOf: ({ workspaceId }) => workspaceId,
    async execute({ batchId }, signal) {
      if (!signal.aborted) await work.advance(batchId, signal);
    },
  };
}

const OPEN: Handlers<OpenBatches, BatchEvent> = {
  'batch-requested.v1': (open, { data: { batchId, workspaceId } }) =>
    new Map(open).set(batchId, { batchId, workspaceId }),
  'batch-ended.v1'(open, { data }) {
    const others = new Map(open);
    others.delete(data.batchId);
    return others;
  },
};
