import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import {
  artifact,
  at,
  attemptClaimed,
  attemptLost,
  epochCompleted,
  jobCancelled,
  jobCompleted,
  jobDeleted,
  jobDeployed,
  jobFailed,
  jobRequested,
  metrics,
} from '#test/support/training-events.js';
import { trainingJobs } from './projection.js';

const after = (...events: Parameters<typeof expectLiveEqualsRebuilt>[1]) =>
  expectLiveEqualsRebuilt(trainingJobs, events);

describe('the read model of training jobs', () => {
  it('follows a job from its request to the first call that it serves', async () => {
    const running = [jobRequested('j1'), attemptClaimed('j1', 1), epochCompleted('j1', 1), epochCompleted('j1', 2)];
    expect((await after(...running)).get('j1')).toMatchObject({
      id: 'j1',
      status: 'running',
      currentEpoch: 2,
      learningCurve: [
        { epoch: 1, step: 10, trainingLoss: 1, validationLoss: 2, f1: 0.5, learningRate: 0.01 },
        { epoch: 2, step: 20, trainingLoss: 1, validationLoss: 2, f1: 0.5, learningRate: 0.01 },
      ],
      metrics: null,
      startedAt: at(1),
      updatedAt: at(22),
      completedAt: null,
    });
    const deployed = await after(...running, jobCompleted('j1'), jobDeployed('j1'));
    expect(deployed.get('j1')).toMatchObject({
      status: 'deployed',
      metrics,
      artifact,
      completedAt: at(40),
      updatedAt: at(50),
    });
  });

  it("keeps the first attempt's start, and shows the current attempt's number", async () => {
    const jobs = await after(
      jobRequested('j1'),
      attemptClaimed('j1', 1),
      attemptLost('j1', 1),
      attemptClaimed('j1', 2),
    );
    expect(jobs.get('j1')).toMatchObject({ status: 'running', attempt: 2, startedAt: at(1) });
  });

  it('shows why a job failed, and when one was cancelled', async () => {
    const jobs = await after(jobRequested('j1'), jobRequested('j2'), jobFailed('j1'), jobCancelled('j2'));
    expect(jobs.get('j1')).toMatchObject({
      status: 'failed',
      errorMessage: 'No row is labelled.',
      completedAt: at(40),
    });
    expect(jobs.get('j2')).toMatchObject({ status: 'cancelled', errorMessage: null, completedAt: at(40) });
  });

  it('keeps nothing of a deleted job', async () => {
    const jobs = await after(jobRequested('j1'), jobRequested('j2'), jobCancelled('j1'), jobDeleted('j1'));
    expect([...jobs.keys()]).toEqual(['j2']);
  });
});
