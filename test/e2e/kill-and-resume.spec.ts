import { embedded } from '#test/deployments/embedded.js';
import { facts } from '#test/support/facts.js';
import { builtin, openRunnerBench } from '#test/support/runner-bench.js';
import { trips } from '#test/support/trips.js';
import { whenAllIsKilled } from './kill-and-resume.js';

/** So many that the last one is far when the first checkpoint is known of. */
const EPOCHS = 80;

describe('a training job that is killed half way goes on from its last checkpoint and makes the same file', () => {
  it.each([
    ['of entities and classes', trips(100)],
    ['of structures and relations', facts(100)],
  ])('even if its own process is killed: one %s', async (_, rows) => {
    const bench = await openRunnerBench(await builtin());
    try {
      const runner = bench.startRunner();
      const files = async (id: string) =>
        ((await bench.until('training-job-completed.v1', id)).data['artifact'] as { files: object[] }).files;
      await bench.requestJobOn('whole', rows, EPOCHS);
      await bench.offer('training', 'whole', 1);
      const expected = await files('whole');

      await bench.requestJobOn('killed', rows, EPOCHS);
      await bench.offer('training', 'killed', 1);
      await bench.until('training-checkpoint-saved.v1', 'killed');
      process.kill(runner.processes().get('killed')!, 'SIGKILL');
      await bench.until('training-attempt-lost.v2', 'killed');
      await bench.offer('training', 'killed', 2);
      expect(await files('killed')).toEqual(expected);
      const epochs = (await bench.events('job', 'killed')).filter(({ type }) => type === 'training-epoch-completed.v1');
      expect(epochs.map(({ data }) => data['epoch'])).toEqual(Array.from({ length: EPOCHS }, (_, index) => index + 1));
      expect(new Set(epochs.map(({ data }) => data['attempt']))).toEqual(new Set([1, 2]));
    } finally {
      await bench.close();
    }
  });

  whenAllIsKilled(embedded);
});
