import { given } from '#test/support/given.js';
import {
  exportIdOf,
  MAX_EXPORT_ATTEMPTS_IN_VAIN,
  MAX_EXPORT_REQUESTS,
  modelExportDecider,
  type ModelExportEvent,
  type ModelExportRequest,
} from './index.js';
import type { LossCause } from '../training-job/index.js';

const exportId = exportIdOf('j1', 'merged');
const request: ModelExportRequest = { exportId, jobId: 'j1', workspaceId: 'w1', userId: 'u1', format: 'merged' };
const archive = { key: 'jobs/j1/exports/merged/1.tar', size: 10, sha256: 'aa' };

const ask = { type: 'request-model-export', ...request } as const;
const requested = (attempt = 1): ModelExportEvent => ({
  type: 'model-export-requested.v1',
  data: { ...request, attempt, requestedAt: given.now },
});
const claim = (attempt: number, runnerId = 'r1') =>
  ({ type: 'claim-export-attempt', exportId, attempt, runnerId }) as const;
const claimed = (attempt: number, runnerId = 'r1'): ModelExportEvent => ({
  type: 'model-export-attempt-claimed.v1',
  data: { exportId, attempt, runnerId, claimedAt: given.now },
});
const lose = (attempt: number, cause: LossCause = 'child') =>
  ({ type: 'lose-export-attempt', exportId, attempt, reason: 'silent', cause }) as const;
const lost = (attempt: number, cause: LossCause = 'child'): ModelExportEvent => ({
  type: 'model-export-attempt-lost.v1',
  data: { exportId, attempt, reason: 'silent', cause, lostAt: given.now },
});
const complete = (attempt: number) => ({ type: 'complete-export', exportId, attempt, archive }) as const;
const completed = (attempt: number): ModelExportEvent => ({
  type: 'model-export-completed.v1',
  data: { exportId, jobId: 'j1', attempt, format: 'merged', archive, completedAt: given.now },
});
const fail = (attempt: number) => ({ type: 'fail-export', exportId, attempt, reason: 'no room' }) as const;
const failed = (reason: string): ModelExportEvent => ({
  type: 'model-export-failed.v1',
  data: { exportId, reason, failedAt: given.now },
});
const modelExport = (...past: ModelExportEvent[]) => given(modelExportDecider, past);

describe('the export of a model', () => {
  it('is requested once while it waits, runs or is complete', () => {
    modelExport().when(ask).then([requested()]);
    modelExport(requested()).when(ask).then([]);
    modelExport(requested(), claimed(1)).when(ask).then([]);
    modelExport(requested(), claimed(1), completed(1)).when(ask).then([]);
  });

  it('is claimed by one runner, which may ask twice', () => {
    modelExport(requested())
      .when(claim(1))
      .then([claimed(1)]);
    modelExport(requested(), claimed(1)).when(claim(1)).then([]);
    modelExport(requested(), claimed(1)).when(claim(1, 'r2')).thenRefused('conflict');
    modelExport(requested(), claimed(1)).when(claim(2)).thenRefused('conflict');
    modelExport(requested(), claimed(1), completed(1)).when(claim(1)).thenRefused('conflict');
  });

  it('ends with the first result of its running attempt', () => {
    modelExport(requested(), claimed(1))
      .when(complete(1))
      .then([completed(1)]);
    modelExport(requested(), claimed(1))
      .when(fail(1))
      .then([failed('no room')]);
    modelExport(requested(), claimed(1), completed(1)).when(fail(1)).then([]);
    modelExport(requested(), claimed(1), lost(1), claimed(2)).when(complete(1)).then([]);
  });

  it('is retried after a lost attempt, until too many were lost to their own process', () => {
    modelExport(requested(), claimed(1))
      .when(lose(1))
      .then([lost(1)]);
    modelExport(requested(), claimed(1), lost(1)).when(lose(1)).then([]);
    const past = [1, 2].flatMap((attempt) => [claimed(attempt), lost(attempt)]);
    modelExport(requested(), ...past, claimed(MAX_EXPORT_ATTEMPTS_IN_VAIN))
      .when(lose(MAX_EXPORT_ATTEMPTS_IN_VAIN))
      .then([lost(MAX_EXPORT_ATTEMPTS_IN_VAIN), failed('The export was interrupted 3 times; the last time: silent')]);
    modelExport(requested(), ...past, claimed(3))
      .when(lose(3, 'runner'))
      .then([lost(3, 'runner')]);
  });

  it('may be requested again after a failure, a limited number of times, with continued attempt numbers', () => {
    modelExport(requested(), claimed(1), failed('x'))
      .when(ask)
      .then([requested(2)]);
    const rounds = Array.from({ length: MAX_EXPORT_REQUESTS }, (_, round) => [
      requested(round + 1),
      claimed(round + 1),
      failed('x'),
    ]);
    modelExport(...rounds.flat())
      .when(ask)
      .thenRefused('conflict');
  });
});
