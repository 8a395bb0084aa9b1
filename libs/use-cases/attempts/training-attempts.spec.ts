import { systemContext } from '#log/context.js';
import { trainingJobDecider, type Checkpoint } from '#domain/training-job/index.js';
import type { WorkReport } from '#gpu-runner/contract/work.js';
import { openRunnerBench, type RunnerBench } from '#test/support/runner-bench.js';
import { trainingAttempts } from './training-attempts.js';

const losses = { trainingLoss: 1, validationLoss: 1, f1: 0.5, learningRate: 0.1 };
const rows = Array.from({ length: 10 }, (_, row) => `row ${row}`);

describe('the checkpoints of training attempts', () => {
  let bench: RunnerBench;
  beforeEach(async () => {
    bench = await openRunnerBench();
    await bench.requestJob('j1', rows);
    const claim = { id: 'j1', attempt: 1, runnerId: 'r1' };
    await trainingAttempts.claim(bench.application, claim, systemContext('r1', null));
  });
  afterEach(() => bench.close());

  const report = (told: WorkReport, commandId: string) => {
    const request = { id: 'j1', attempt: 1, runnerId: 'r1', commandId, at: new Date().toISOString(), report: told };
    return trainingAttempts.record(bench.application, request, systemContext('r1', null, commandId));
  };
  const save = async (step: number) => {
    const objectPrefix = `jobs/j1/1/checkpoints/${step}`;
    const files = await Promise.all(
      ['training_state.bin', 'weights'].map(async (name) => {
        const { sha256, size } = await bench.objectStore.put(`${objectPrefix}/${name}`, Buffer.from(name));
        return { name, sha256, size };
      }),
    );
    const at = {
      epoch: step,
      step,
      endsEpoch: true,
      isBest: true,
      isFinal: false,
      attempt: 1,
      checkpointId: `c${step}`,
    };
    const checkpoint: Checkpoint = { ...at, ...losses, folder: { objectPrefix, files } };
    await report({ kind: 'checkpoint', checkpoint }, `save-${step}`);
  };
  const states = async () =>
    (await Array.fromAsync(bench.objectStore.list('jobs/j1/'))).flatMap(({ key }) =>
      key.endsWith('training_state.bin') ? [Number(key.split('/').at(-2))] : [],
    );

  it('keep only the state of the last one', async () => {
    await save(1);
    await save(2);
    expect(await states()).toEqual([2]);
  });

  it('keep no state once the job is cancelled, even if a checkpoint arrives late', async () => {
    await save(1);
    const stop = { type: 'stop-training-job', jobId: 'j1', workspaceId: 'w1' } as const;
    await bench.application.execute(trainingJobDecider, 'j1', stop, systemContext('test', 'w1'));
    await save(2);
    expect(await states()).toEqual([]);
  });
});
