import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import { BATCH_EVENT_TYPES, type BatchEnd, type BatchEvent, type BatchRequest } from './events.js';
import { evolve, type BatchState } from './state.js';

type BatchCommand = CommandsOf<{
  'request-batch': BatchRequest;
  'cancel-batch': { batchId: string; workspaceId: string };
  'end-batch': BatchEnd & { batchId: string };
}>;

/** The calls of one file of requests. The first recorded end wins; later ones have no effect. */
export const batchDecider: Decider<BatchCommand, BatchEvent, BatchState> = {
  category: 'batch',
  eventTypes: BATCH_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: BatchCommand, state: BatchState, env: Env): readonly BatchEvent[] {
  const { batchId } = command;
  if (command.type === 'request-batch') {
    if (state.status !== 'none') return [];
    const { type: _, ...request } = command;
    return [{ type: 'batch-requested.v1', data: { ...request, requestedAt: env.now } }];
  }
  if (state.status === 'none') throw new NotFoundError('batch', batchId);
  switch (command.type) {
    case 'cancel-batch':
      if (state.request.workspaceId !== command.workspaceId) throw new NotFoundError('batch', batchId);
      if (state.status === 'cancelling' || state.end?.outcome === 'cancelled') return [];
      if (state.end !== null)
        throw new ConflictError(`batch ${batchId} is ${state.end.outcome}; only one in progress can be cancelled`);
      return [{ type: 'batch-cancel-requested.v1', data: { batchId, requestedAt: env.now } }];
    case 'end-batch': {
      if (state.status === 'ended') return [];
      const { type: _, ...end } = command;
      return [{ type: 'batch-ended.v1', data: { ...end, endedAt: env.now } }];
    }
  }
}
