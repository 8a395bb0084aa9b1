import { openRunnerBench, type BenchEngine } from './runner-bench.js';

/**
 * Trains a job twice, once to its end and once with its process killed after the first checkpoint, and compares the files.
 * @param jsonl rows of a dataset
 * @param epochs enough that the last one is far off when the first checkpoint is known
 */
export async function expectSameFilesAfterKill(engine: BenchEngine, jsonl: string, epochs: number): Promise<void> {
  const bench = await openRunnerBench(engine);
  try {
    const runner = bench.startRunner();
    const files = async (id: string) =>
      ((await bench.until('training-job-completed.v1', id)).data['artifact'] as { files: object[] }).files;
    await bench.requestJobOn('whole', jsonl, epochs);
    await bench.offer('training', 'whole', 1);
    const expected = await files('whole');

    await bench.requestJobOn('killed', jsonl, epochs);
    await bench.offer('training', 'killed', 1);
    await bench.until('training-checkpoint-saved.v1', 'killed');
    process.kill(runner.processes().get('killed')!, 'SIGKILL');
    await bench.until('training-attempt-lost.v2', 'killed');
    await bench.offer('training', 'killed', 2);
    expect(await files('killed')).toEqual(expected);
    const completed = (await bench.events('job', 'killed')).filter(
      ({ type }) => type === 'training-epoch-completed.v1',
    );
    expect(completed.map(({ data }) => data['epoch'])).toEqual(Array.from({ length: epochs }, (_, index) => index + 1));
    expect(new Set(completed.map(({ data }) => data['attempt']))).toEqual(new Set([1, 2]));
  } finally {
    await bench.close();
  }
}
