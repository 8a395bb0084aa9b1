import { Metrics } from '#primitives/metrics/metrics.js';
import { Background } from './background.js';

describe('work in the background', () => {
  const setUp = (pause?: (ms: number) => Promise<void>) => {
    const lines: string[] = [];
    const line = (fields: object, message: string) => {
      const { context, err } = fields as { readonly context: string; readonly err?: Error };
      lines.push([context, message, ...(err ? [err.message] : [])].join(': '));
    };
    const metrics = new Metrics();
    const background = new Background({ error: line, info: line }, metrics, pause);
    const counted = async () => {
      const { values } = await metrics.registry.getSingleMetric('anneal_background_failures_total')!.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels['name'], value]));
    };
    return { lines, background, counted };
  };

  /** Runs the steps of repeated work in order. Resolves when the last begins, after which the work waits. */
  const steps = (...outcomes: readonly (string | null)[]) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const left = [...outcomes];
    const run = async () => {
      const outcome = left.shift();
      if (left.length === 0) resolve();
      if (outcome) throw new Error(outcome);
    };
    return { run, done: promise };
  };

  it('is repeated after failures, which are counted, and logged once while they are the same', async () => {
    const { lines, background, counted } = setUp();
    const { run, done } = steps('away', 'away', 'full', null, 'away', null);
    const work = background.repeat('sweep', run, { everyMs: 1 });
    await done;
    await work.close();
    expect(lines.slice(0, 4)).toEqual([
      'sweep: sweep failed: away',
      'sweep: sweep failed: full',
      'sweep: sweep works again',
      'sweep: sweep failed: away',
    ]);
    expect(await counted()).toEqual({ sweep: 4 });
  });

  it('waits longer after each further failure, up to a bound, and less again after a success', async () => {
    const waits: number[] = [];
    const { background } = setUp(async (ms) => {
      waits.push(ms);
      await new Promise(setImmediate);
    });
    const { run, done } = steps('a', 'b', 'c', 'd', null, 'e', null);
    const work = background.repeat('sweep', run, { delayMs: 1, everyMs: 100, retryMs: 5, maxRetryMs: 15 });
    await done;
    await work.close();
    expect(waits.slice(0, 7)).toEqual([1, 5, 10, 15, 15, 100, 5]);
  });

  it('is told when it is closed, and then fails unreported', async () => {
    const { lines, background, counted } = setUp();
    const work = background.repeat(
      'sweep',
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('closed')))),
      { everyMs: 1 },
    );
    await work.close();
    expect([lines, await counted()]).toEqual([[], {}]);
  });

  it('logs each failure in a row once if its owner repeats it, and the success after them', async () => {
    const { lines, background, counted } = setUp();
    const watched = background.watch('delivery');
    watched.succeeded();
    for (const message of ['away', 'away', 'full']) watched.failed(new Error(message));
    watched.succeeded();
    expect(lines).toEqual([
      'delivery: delivery failed: away',
      'delivery: delivery failed: full',
      'delivery: delivery works again',
    ]);
    expect(await counted()).toEqual({ delivery: 3 });
  });

  it('that is done once reports its failure', async () => {
    const { lines, background, counted } = setUp();
    await background.once('cleaning', Promise.reject(new Error('away')));
    expect([lines, await counted()]).toEqual([['cleaning: cleaning failed: away'], { cleaning: 1 }]);
  });
});
