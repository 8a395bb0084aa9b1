import { given } from '#test/support/given.js';
import { metrics, trainingRequest } from '#test/support/training-events.js';
import {
  latestCheckpoint,
  MAX_ATTEMPTS_IN_VAIN,
  MAX_STEP_CHECKPOINTS,
  trainingJobDecider,
  type Checkpoint,
  type LossCause,
  type TrainingJobEvent,
} from './index.js';

const jobId = 'j1';
const workspaceId = 'w1';
const request = trainingRequest(jobId);
const folder = { objectPrefix: 'jobs/j1/1/c', files: [{ name: 'a', sha256: 'cc', size: 1 }] };
const losses = { trainingLoss: 1, validationLoss: 2, f1: 0.5, learningRate: 0.01 };
const checkpoint = (attempt: number, step: number): Checkpoint => ({
  checkpointId: `c${attempt}-${step}`,
  attempt,
  epoch: 1,
  step,
  isBest: true,
  isFinal: false,
  endsEpoch: true,
  folder,
  ...losses,
});

const requested: TrainingJobEvent = { type: 'training-job-requested.v1', data: { ...request, requestedAt: given.now } };
const claimed = (attempt: number, runnerId = 'r1'): TrainingJobEvent => ({
  type: 'training-attempt-claimed.v1',
  data: { jobId, attempt, runnerId, claimedAt: given.now },
});
const lost = (attempt: number, cause: LossCause = 'child'): TrainingJobEvent => ({
  type: 'training-attempt-lost.v2',
  data: { jobId, attempt, reason: 'silent', cause, lostAt: given.now },
});
const saved = (each: Checkpoint): TrainingJobEvent => ({
  type: 'training-checkpoint-saved.v1',
  data: { jobId, ...each, savedAt: given.now },
});
const completed = (attempt: number): TrainingJobEvent => ({
  type: 'training-job-completed.v1',
  data: { jobId, attempt, epochsRun: 3, metrics, artifact: folder, completedAt: given.now },
});
const cancelled = (cancelledAt: string = given.now): TrainingJobEvent => ({
  type: 'training-job-cancelled.v1',
  data: { jobId, cancelledAt },
});
const deployed: TrainingJobEvent = { type: 'training-job-deployed.v1', data: { jobId, deployedAt: given.now } };

const claim = (attempt: number, runnerId = 'r1') =>
  ({ type: 'claim-training-attempt', jobId, attempt, runnerId }) as const;
const complete = (attempt: number) =>
  ({ type: 'complete-training', jobId, attempt, epochsRun: 3, metrics, artifact: folder }) as const;
const save = (each: Checkpoint) => ({ type: 'save-checkpoint', jobId, checkpoint: each }) as const;
const lose = (attempt: number, cause: LossCause = 'child') =>
  ({ type: 'lose-training-attempt', jobId, attempt, reason: 'silent', cause }) as const;
const stop = { type: 'stop-training-job', jobId, workspaceId } as const;
const remove = { type: 'delete-training-job', jobId, workspaceId } as const;
const job = (...past: TrainingJobEvent[]) => given(trainingJobDecider, past);

describe('a training job', () => {
  it('is requested once', () => {
    job()
      .when({ type: 'request-training-job', ...request })
      .then([requested]);
    job(requested)
      .when({ type: 'request-training-job', ...request })
      .then([]);
  });

  it('gives an attempt to one runner only', () => {
    job(requested)
      .when(claim(1))
      .then([claimed(1)]);
    job(requested, claimed(1)).when(claim(1)).then([]);
    job(requested, claimed(1)).when(claim(1, 'r2')).thenRefused('conflict');
    job(requested).when(claim(2)).thenRefused('conflict');
    job(requested, claimed(1), lost(1)).when(claim(1)).thenRefused('conflict');
    job(requested, claimed(1), lost(1))
      .when(claim(2, 'r2'))
      .then([claimed(2, 'r2')]);
    job().when(claim(1)).thenRefused('not_found');
  });

  it('records each epoch and each checkpoint once', () => {
    const epoch = { type: 'record-epoch', jobId, attempt: 1, epoch: 1, step: 4, ...losses } as const;
    const { type: _, ...facts } = epoch;
    job(requested, claimed(1))
      .when(epoch)
      .then([{ type: 'training-epoch-completed.v1', data: { ...facts, completedAt: given.now } }]);
    job(requested, claimed(1))
      .when(save(checkpoint(1, 4)))
      .then([saved(checkpoint(1, 4))]);
  });

  it('keeps a limited number of checkpoints between epochs, and each at an epoch’s end', () => {
    const between = (step: number): Checkpoint => ({ ...checkpoint(1, step), endsEpoch: false });
    const many = Array.from({ length: MAX_STEP_CHECKPOINTS }, (_, step) => saved(between(step)));
    job(requested, claimed(1), ...many)
      .when(save(between(1000)))
      .then([]);
    job(requested, claimed(1), ...many)
      .when(save(checkpoint(1, 1000)))
      .then([saved(checkpoint(1, 1000))]);
  });

  it('ignores a lost attempt', () => {
    const past = [requested, claimed(1), lost(1)];
    job(...past)
      .when(complete(1))
      .then([]);
    job(...past)
      .when(save(checkpoint(1, 4)))
      .then([]);
    job(...past)
      .when({ type: 'fail-training', jobId, attempt: 1, reason: 'x' })
      .then([]);
    job(...past, claimed(2, 'r2'))
      .when(complete(1))
      .then([]);
    job(...past, claimed(2, 'r2'))
      .when(lose(1))
      .then([]);
  });

  it('ends once: the first terminal event wins', () => {
    job(requested, claimed(1))
      .when(complete(1))
      .then([completed(1)]);
    job(requested, claimed(1), cancelled()).when(complete(1)).then([]);
    job(requested, claimed(1), completed(1)).when(stop).thenRefused('conflict');
    job(requested, claimed(1), completed(1)).when(claim(1, 'r2')).thenRefused('conflict');
  });

  it('is stopped at once, by its own workspace only', () => {
    job(requested).when(stop).then([cancelled()]);
    job(requested, claimed(1)).when(stop).then([cancelled()]);
    job(requested, cancelled()).when(stop).then([]);
    job(requested)
      .when({ ...stop, workspaceId: 'w2' })
      .thenRefused('not_found');
  });

  it('accepts checkpoints of a cancelled attempt for 60 seconds', () => {
    const before = (seconds: number) => new Date(Date.parse(given.now) - seconds * 1000).toISOString();
    job(requested, claimed(1), cancelled(before(60)))
      .when(save(checkpoint(1, 4)))
      .then([saved(checkpoint(1, 4))]);
    job(requested, claimed(1), cancelled(before(61)))
      .when(save(checkpoint(1, 4)))
      .then([]);
    job(requested, cancelled())
      .when(save(checkpoint(1, 4)))
      .then([]);
  });

  it('fails when its attempts are lost repeatedly without progress', () => {
    const attempts = Array.from({ length: MAX_ATTEMPTS_IN_VAIN - 1 }, (_, index) => index + 1);
    const past = [requested, ...attempts.flatMap((attempt) => [claimed(attempt), lost(attempt)])];
    const last = MAX_ATTEMPTS_IN_VAIN;
    job(...past, claimed(last))
      .when(lose(last))
      .then([
        lost(last),
        {
          type: 'training-job-failed.v1',
          data: {
            jobId,
            reason: 'Training was interrupted 5 times in a row without progress; the last time: silent',
            failedAt: given.now,
          },
        },
      ]);
    job(...past, claimed(last), saved(checkpoint(last, 4)))
      .when(lose(last))
      .then([lost(last)]);
    job(...past, claimed(last))
      .when(lose(last, 'runner'))
      .then([lost(last, 'runner')]);
  });

  it('does not count attempts that were lost to the runner or to storage, up to 50 in all', () => {
    const past = (causes: readonly LossCause[]) => [
      requested,
      ...causes.flatMap((cause, index) => [claimed(index + 1), lost(index + 1, cause)]),
      claimed(causes.length + 1),
    ];
    const causes = Array.from({ length: 48 }, (_, index) => (index % 2 === 0 ? 'runner' : 'storage'));
    job(...past(causes))
      .when(lose(49, 'runner'))
      .then([lost(49, 'runner')]);
    const failed = {
      type: 'training-job-failed.v1',
      data: {
        jobId,
        reason: 'Training was interrupted 50 times; the last time: silent',
        failedAt: given.now,
      },
    } as const;
    job(...past([...causes, 'runner']))
      .when(lose(50, 'runner'))
      .then([lost(50, 'runner'), failed]);
  });

  it('becomes deployed with the first call that its adapter serves', () => {
    const mark = { type: 'mark-deployed', jobId } as const;
    job(requested, claimed(1), completed(1)).when(mark).then([deployed]);
    job(requested, claimed(1)).when(mark).then([]);
  });

  it('is deleted with its checkpoints; an active one is stopped first', () => {
    const deleted: TrainingJobEvent = { type: 'training-job-deleted.v1', data: { jobId, deletedAt: given.now } };
    job(requested, claimed(1), saved(checkpoint(1, 4)))
      .when(remove)
      .then([cancelled(), { type: 'training-checkpoint-deleted.v1', data: { jobId, checkpointId: 'c1-4' } }, deleted]);
    job(requested, claimed(1), completed(1), deployed).when(remove).then([deleted]);
    job(requested, cancelled(), deleted).when(stop).thenRefused('not_found');
    job(requested)
      .when({ ...remove, workspaceId: 'w2' })
      .thenRefused('not_found');
  });

  it('loses its log once, and only after it has ended', () => {
    const erase = { type: 'erase-training-job-log', jobId, workspaceId } as const;
    const logErased: TrainingJobEvent = { type: 'training-job-log-erased.v1', data: { jobId, erasedAt: given.now } };
    job(requested, claimed(1)).when(erase).thenRefused('conflict');
    for (const end of [completed(1), cancelled()]) job(requested, claimed(1), end).when(erase).then([logErased]);
    job(requested, cancelled(), logErased).when(erase).then([]);
    job(requested, cancelled())
      .when({ ...erase, workspaceId: 'w2' })
      .thenRefused('not_found');
  });

  it('is erased once, and only after it was deleted', () => {
    const deleted: TrainingJobEvent = { type: 'training-job-deleted.v1', data: { jobId, deletedAt: given.now } };
    const erase = { type: 'mark-job-erased', jobId } as const;
    job(requested, cancelled(), deleted)
      .when(erase)
      .then([{ type: 'training-job-erased.v1', data: { jobId, erasedAt: given.now } }]);
    job(requested, cancelled()).when(erase).thenRefused('conflict');
  });

  it('resumes from its furthest checkpoint', () => {
    expect(latestCheckpoint([])).toBeNull();
    expect(latestCheckpoint([checkpoint(1, 4), checkpoint(2, 12), checkpoint(2, 8)])?.step).toBe(12);
  });
});
