import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import { isInVain, type LossCause } from '../training-job/index.js';
import {
  MODEL_EXPORT_EVENT_TYPES,
  type ModelExportEvent,
  type ModelExportRequest,
  type StoredExport,
} from './events.js';
import { evolve, type ModelExportState } from './state.js';

/** Both bounds keep a stream under 1,000 events (libs/domain/streams.ts). */
export const MAX_EXPORT_REQUESTS = 20;
/** An export whose attempts are lost so often to their own process will not succeed. */
export const MAX_EXPORT_ATTEMPTS_IN_VAIN = 3;
/** Limit on attempts at one request, whatever the reason they were lost. */
const MAX_EXPORT_ATTEMPTS = 20;

export type ModelExportCommand = CommandsOf<{
  'request-model-export': ModelExportRequest;
  'claim-export-attempt': { exportId: string; attempt: number; runnerId: string };
  'lose-export-attempt': { exportId: string; attempt: number; reason: string; cause: LossCause };
  'complete-export': { exportId: string; attempt: number; archive: StoredExport };
  'fail-export': { exportId: string; attempt: number; reason: string };
}>;

/** The export of a trained model in one format: attempts as for evaluations; one that failed may be requested again. */
export const modelExportDecider: Decider<ModelExportCommand, ModelExportEvent, ModelExportState> = {
  category: 'export',
  eventTypes: MODEL_EXPORT_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: ModelExportCommand, state: ModelExportState, env: Env): readonly ModelExportEvent[] {
  const { exportId } = command;
  if (command.type === 'request-model-export') return request(command, state, env);
  if (state.status === 'none') throw new NotFoundError('export', exportId);
  if (command.type === 'claim-export-attempt') return claim(command, state, env);
  if (state.status !== 'running' || state.attempt !== command.attempt) return [];
  switch (command.type) {
    case 'lose-export-attempt': {
      const { attempt, reason, cause } = command;
      const lost = {
        type: 'model-export-attempt-lost.v1',
        data: { exportId, attempt, reason, cause, lostAt: env.now },
      } as const;
      const inVain = state.lostInVain + (isInVain(lost.data) ? 1 : 0);
      const all = state.lost + 1;
      if (inVain < MAX_EXPORT_ATTEMPTS_IN_VAIN && all < MAX_EXPORT_ATTEMPTS) return [lost];
      return [lost, failed(exportId, `The export was interrupted ${all} times; the last time: ${reason}`, env)];
    }
    case 'complete-export': {
      const { attempt, archive } = command;
      const { jobId, format } = state.request;
      const completed = { exportId, jobId, attempt, format, archive, completedAt: env.now };
      return [{ type: 'model-export-completed.v1', data: completed }];
    }
    case 'fail-export':
      return [failed(exportId, command.reason, env)];
  }
}

/** @throws ConflictError it has failed too often */
function request(
  { type: _, ...request }: Extract<ModelExportCommand, { type: 'request-model-export' }>,
  state: ModelExportState,
  env: Env,
): readonly ModelExportEvent[] {
  if (state.status !== 'none' && state.status !== 'failed') return [];
  if (state.status === 'failed' && state.requests >= MAX_EXPORT_REQUESTS)
    throw new ConflictError(`the export has failed ${state.requests} times; the last time: ${state.reason}`);
  const attempt = state.status === 'none' ? 1 : state.attempt + 1;
  return [{ type: 'model-export-requested.v1', data: { ...request, attempt, requestedAt: env.now } }];
}

function claim(
  { exportId, attempt, runnerId }: Extract<ModelExportCommand, { type: 'claim-export-attempt' }>,
  state: Exclude<ModelExportState, { status: 'none' }>,
  env: Env,
): readonly ModelExportEvent[] {
  if (state.status !== 'queued' && state.status !== 'running')
    throw new ConflictError(`export ${exportId} is ${state.status}`);
  if (attempt !== state.attempt)
    throw new ConflictError(`export ${exportId} is at attempt ${state.attempt}, not ${attempt}`);
  if (state.runnerId === runnerId) return [];
  if (state.runnerId !== null) throw new ConflictError(`attempt ${attempt} of export ${exportId} is taken`);
  return [{ type: 'model-export-attempt-claimed.v1', data: { exportId, attempt, runnerId, claimedAt: env.now } }];
}

const failed = (exportId: string, reason: string, env: Env): ModelExportEvent => ({
  type: 'model-export-failed.v1',
  data: { exportId, reason, failedAt: env.now },
});
