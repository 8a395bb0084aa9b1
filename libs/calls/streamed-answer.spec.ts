import { jest } from '@jest/globals';
import { EventStoreUnavailableError, type EventStore } from '#ports/event-store/port.js';
import { HostedModelError, NO_USAGE, type GenerateOptions, type GenerationEvent } from './hosted/port.js';
import { ESTIMATED_INPUT, finish, HostedCallsBench, text, usage } from '#test/support/hosted-calls.js';
import type { AnswerStream } from './index.js';

const gone = () => new HostedModelError('cancelled', 'the caller has gone');

describe('a run of a hosted model', () => {
  let bench: HostedCallsBench;
  let cancelled: number;
  beforeEach(async () => {
    bench = await HostedCallsBench.open();
    cancelled = 0;
  });
  afterEach(() => bench.close());

  /** A provider that emits these events and then waits until it is cancelled. */
  const saysAndHangs = (...events: readonly GenerationEvent[]) =>
    async function* ({ signal }: GenerateOptions) {
      signal!.addEventListener('abort', () => (cancelled += 1));
      yield* events;
      if (!signal!.aborted) await new Promise((resolve) => signal!.addEventListener('abort', resolve));
      throw gone();
    };
  const types = async () => (await bench.log()).map(({ type }) => type);
  const recordedOnce = async () => {
    expect((await types()).filter((type) => type !== 'call-content.v1')).toEqual([
      'call-opened.v1',
      'call-closed.v1',
      'call-metered.v1',
    ]);
    expect(bench.ended).toHaveLength(1);
    return bench.one('call-metered.v1');
  };
  const drawn = async ({ events }: AnswerStream, batches: number) => {
    const iterator = events[Symbol.asyncIterator]();
    for (let count = 0; count < batches; count += 1) await iterator.next();
    return iterator;
  };
  /** Two tokens of `Hello!`, estimated. */
  const HELLO = ESTIMATED_INPUT + 2n * 8_000_000n;

  it('without a reader ends when abandoned: billed for its output and cancelled upstream', async () => {
    bench.generate = saysAndHangs(text('Hello!'));
    const run = await bench.start();
    await run.leave();
    await run.leave();
    expect(await recordedOnce()).toMatchObject({ status: 'failed', errorType: 'cancelled', outputTokens: 2 });
    expect(bench.ended).toEqual([`settled ${HELLO}`]);
    expect(cancelled).toBe(1);
    // Iterating again yields nothing and changes nothing.
    expect(await Array.fromAsync(run.events)).toEqual([]);
    await recordedOnce();
  });

  it.each([
    ['is billed for its output if its reader was that slow', 11_000, `settled ${HELLO}`],
    ['costs nothing if its reader was not', 9_000, 'settled 0'],
  ])('that ran out of time %s', async (_, readerMs, settled) => {
    bench.generate = async function* () {
      yield text('Hello!');
      throw new HostedModelError('timeout', 'the provider did not answer in time');
    };
    const iterator = await drawn(await bench.start(), 1);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + readerMs);
    await expect(iterator.next()).rejects.toThrow('in time');
    clock.mockRestore();
    expect(await recordedOnce()).toMatchObject({ status: 'failed', errorType: 'timeout' });
    expect(bench.ended).toEqual([settled]);
  });

  it.each<[string, (leave: () => void) => Promise<unknown>, string]>([
    [
      'before it is asked for',
      async (leave) => {
        leave();
        bench.generate = saysAndHangs();
        await bench.start({ signal: AbortSignal.abort() }).catch(() => undefined);
      },
      'settled 0',
    ],
    [
      'while the provider thinks',
      async (leave) => {
        const asked = Promise.withResolvers<void>();
        const hangs = saysAndHangs();
        bench.generate = (options) => {
          asked.resolve();
          return hangs(options);
        };
        const started = start(leave);
        await asked.promise;
        leave();
        await started.catch(() => undefined);
      },
      'settled 0',
    ],
    [
      'after the first batch came, before it was drawn',
      async (leave) => {
        bench.generate = saysAndHangs(text('Hello!'));
        const run = await start(leave);
        leave();
        await drawn(run, 9).catch(() => undefined);
      },
      `settled ${HELLO}`,
    ],
    [
      'between two batches',
      async (leave) => {
        bench.generate = saysAndHangs(text('Hel'), text('lo!'));
        const run = await start(leave);
        await drawn(run, 2);
        leave();
        await run.leave();
      },
      `settled ${HELLO}`,
    ],
    [
      'while a batch is awaited',
      async (leave) => {
        bench.generate = saysAndHangs(text('Hello!'));
        const run = await start(leave);
        const iterator = await drawn(run, 1);
        const awaited = iterator.next();
        leave();
        await expect(awaited).rejects.toMatchObject({ code: 'unavailable' });
        await run.leave();
      },
      `settled ${HELLO}`,
    ],
  ])('abandoned by its caller %s is recorded once', async (_, act, settled) => {
    const leaving = new AbortController();
    signal = leaving.signal;
    await act(() => leaving.abort());
    expect(await recordedOnce()).toMatchObject({ status: 'failed', errorType: 'cancelled' });
    expect(bench.ended).toEqual([settled]);
  });
  let signal: AbortSignal;
  const start = (_leave: () => void) => bench.start({ signal });

  it('abandoned while its end is being recorded counts as answered', async () => {
    const leaving = new AbortController();
    const isEnding = Promise.withResolvers<void>();
    const ending = bench.withAppend(async (...args) => {
      if (args[2].some(({ type }) => type === 'call-closed.v1')) {
        leaving.abort();
        isEnding.resolve();
      }
      return bench.store.append(...args);
    });
    bench.generate = async function* () {
      yield* [text('Hello!'), usage, finish];
    };
    const run = await bench.start({ signal: leaving.signal }, ending);
    const iterator = await drawn(run, 2);
    const last = iterator.next();
    await isEnding.promise;
    await run.leave();
    expect(await last).toEqual({ done: false, value: [finish] });
    expect(await recordedOnce()).toMatchObject({ status: 'success', outputTokens: 4 });
  });

  it('reports the outcome of its choices only once its end is on the log', async () => {
    bench.generate = async function* () {
      yield* [text('Hello!'), finish, usage];
    };
    const seen: unknown[] = [];
    for await (const batch of (await bench.start()).events) seen.push(batch[0]!.type, (await types()).length);
    // The opening is one event; the end, its price and its content are three.
    expect(seen).toEqual(['text', 1, 'usage', 1, 'finish', 4]);
  });

  it('is sent at once even if the log is slow, and begins once both are ready', async () => {
    const held = Promise.withResolvers<void>();
    const slow = bench.withAppend(async (...args) => {
      await held.promise;
      return bench.store.append(...args);
    });
    const asked = Promise.withResolvers<void>();
    bench.generate = async function* () {
      asked.resolve();
      yield* [text('Hello!'), usage, finish];
    };
    let hasBegun = false;
    const started = bench.start({}, slow).finally(() => (hasBegun = true));
    await asked.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasBegun).toBe(false);
    held.resolve();
    await Array.fromAsync((await started).events);
    await recordedOnce();
  });

  it('abandoned while a batch is awaited yields none, even if one arrived', async () => {
    bench.generate = async function* () {
      yield* [text('Hello!'), usage, finish];
    };
    const run = await bench.start();
    const iterator = await drawn(run, 2);
    const awaited = iterator.next();
    await run.leave();
    expect(await awaited).toMatchObject({ done: true });
    expect(await recordedOnce()).toMatchObject({ status: 'failed', errorType: 'cancelled' });
  });

  it('is recorded as failed and free if it cannot be encoded, and is cancelled upstream', async () => {
    bench.generate = saysAndHangs(text('Hello!'));
    const run = await bench.start();
    await drawn(run, 1);
    await run.leave(new TypeError('no such word'));
    expect(await recordedOnce()).toMatchObject({ status: 'failed', errorType: 'internal', outputTokens: 0 });
    expect(await bench.one('call-content.v1')).toMatchObject({ content: { output: 'Hello!' } });
    expect(bench.ended).toEqual(['settled 0']);
    expect(cancelled).toBe(1);
  });

  it('is recorded as failed, not left open, if the history cannot show its output', async () => {
    bench.generate = async function* () {
      yield* [text('Hello!'), usage, finish];
    };
    const output = () => {
      throw new TypeError('no such word');
    };
    const run = await bench.start({ output });
    await expect(Array.fromAsync(run.events)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await recordedOnce()).toMatchObject({ status: 'failed', errorType: 'internal' });
  });

  it.each<[string, GenerationEvent]>([
    ['contradict each other', { type: 'thinking', part: 0, text: 'hm' }],
    ['are of far too many choices', { ...text('x'), choice: 4e9 } as GenerationEvent],
    ['are of far too many parts', { type: 'text', text: 'x', part: 4e9 }],
  ])('fails and is cancelled upstream if its events %s', async (_, event) => {
    bench.generate = saysAndHangs(text('Hello!'), event);
    const run = await bench.start();
    await expect(Array.fromAsync(run.events)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await recordedOnce()).toMatchObject({ status: 'failed', errorType: 'internal', costPicodollars: '0' });
    expect(cancelled).toBe(1);
  });

  it('abandoned midway is billed for its output, whatever its provider had counted', async () => {
    const early = { ...NO_USAGE, inputTokens: 50, outputTokens: 1, cacheReadTokens: 7 };
    bench.generate = saysAndHangs({ type: 'usage', usage: early }, text('x'.repeat(300)));
    const run = await bench.start();
    await drawn(run, 2);
    await run.leave();
    expect(await recordedOnce()).toMatchObject({ inputTokens: 50, outputTokens: 100, cacheReadTokens: 7 });
  });

  it('records which provider answered', async () => {
    bench.generate = async function* ({ onProvider }) {
      onProvider!({ name: 'second', model: 'chat-b' });
      yield* [text('Hello!'), usage, finish];
    };
    await bench.run();
    expect(await bench.one('call-closed.v1')).toMatchObject({ provider: { name: 'second', model: 'chat-b' } });
  });

  it('stores no content if the caller opts out, however it ends', async () => {
    for (const act of [saysAndHangs(text('Hello!')), breaksOff, answers]) {
      bench.generate = act;
      const run = await bench.start({ store: false });
      await drawn(run, 1);
      if (act === answers || act === breaksOff) await Array.fromAsync(run.events).catch(() => undefined);
      else await run.leave();
    }
    expect((await types()).filter((type) => type === 'call-metered.v1')).toHaveLength(3);
    expect(JSON.stringify(await bench.log())).not.toMatch(/Hello/);
    expect(await types()).not.toContain('call-content.v1');
  });
  async function* breaksOff() {
    yield text('Hello!');
    throw new HostedModelError('unavailable', 'the provider broke off');
  }
  async function* answers() {
    yield* [text('Hello!'), usage, finish];
  }

  it('fails if its end cannot be logged, and releases its reservation', async () => {
    const failing = bench.withAppend((...args: Parameters<EventStore['append']>) =>
      args[2].some(({ type }) => type === 'call-closed.v1')
        ? Promise.reject(new EventStoreUnavailableError('disk full'))
        : bench.store.append(...args),
    );
    bench.generate = answers;
    const run = await bench.start({}, failing);
    await expect(Array.fromAsync(run.events)).rejects.toMatchObject({ code: 'unavailable' });
    await run.leave();
    // The append may still have succeeded.
    expect(bench.ended).toEqual([`settled ${100 * 2_000_000 + 4 * 8_000_000}`]);
  });
});
