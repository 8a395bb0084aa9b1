import { EventStoreUnavailableError, type EventStore } from '#ports/event-store/port.js';
import { HostedModelError, NO_USAGE, textMessage, type GenerationEvent } from '../../hosted/port.js';
import { CALL, ENTRY, ESTIMATED_INPUT, finish, HostedCallsBench, text, usage } from '#test/support/hosted-calls.js';
import { Decoders, type DecoderSource, type Lifecycle } from '../../index.js';

describe('a call of a hosted decoder', () => {
  let bench: HostedCallsBench;
  beforeEach(async () => {
    bench = await HostedCallsBench.open();
  });
  afterEach(() => bench.close());

  it('reserves its worst case, and is settled with its cost', async () => {
    bench.generate = async function* () {
      yield* [text('Hel'), text('lo'), usage, finish];
    };
    const answer = await bench.run();
    expect(answer).toMatchObject({ text: 'Hello', finishReason: 'stop', usage: { inputTokens: 100, outputTokens: 4 } });
    // 300 bytes, 8 for the message and 64 around all, at the dearest of the input's prices, 2.5; ten tokens of output.
    expect(bench.reserved).toEqual([372n * 2_500_000n + 10n * 8_000_000n]);
    expect(bench.ended).toEqual([`settled ${100 * 2_000_000 + 4 * 8_000_000}`]);
    expect(await bench.one('call-metered.v1')).toMatchObject({ chargedTo: 'month/holder', stored: true });
    expect(await bench.one('call-opened.v1')).toMatchObject({ chargedTo: 'month/holder', estimatedInputTokens: 108 });
  });

  it('costs no more than its reservation, even if each byte of its input is a token', async () => {
    const digits = { messages: [textMessage('user', '1'.repeat(3_000))], maxTokens: 10 };
    const counted = { ...NO_USAGE, inputTokens: 3_030, outputTokens: 10 };
    bench.generate = async function* () {
      yield* [text('Hello'), { type: 'usage', usage: counted } as const, finish];
    };
    await bench.run({ generation: digits });
    const [spent] = bench.ended.map((each) => BigInt(each.replace('settled ', '')));
    expect(spent! <= bench.reserved[0]!).toBe(true);
  });

  it('reserves the output of every requested choice', async () => {
    bench.generate = async function* () {
      yield* [text('Hello'), usage, finish];
    };
    await bench.run({ generation: { ...CALL.generation, choices: 3 } });
    await bench.run({ generation: { ...CALL.generation, choices: 3, candidates: 5 } });
    await bench.run({ generation: { ...CALL.generation, choices: 3, messages: [], prompts: ['a', 'b'] } });
    const outputs = bench.reserved.map((most) => most / 8_000_000n / 10n);
    const inputs = [372n, 372n, 66n].map((bytes) => (bytes * 2_500_000n) / 8_000_000n / 10n);
    expect(outputs.map((output, index) => output - inputs[index]!)).toEqual([3n, 5n, 6n]);
  });

  it('is given a token limit if it has none and is paid from credits', async () => {
    bench.generate = async function* () {
      yield* [text('Hello'), usage, finish];
    };
    const { maxTokens: _, ...generation } = CALL.generation;
    await bench.run({ generation });
    expect(bench.asked).toMatchObject({ maxTokens: 4_096 });
    expect(bench.reserved).toEqual([372n * 2_500_000n + 4_096n * 8_000_000n]);
    bench.enforced = false;
    await bench.run({ generation });
    expect(bench.asked).not.toHaveProperty('maxTokens');
  });

  it('fails if its content cannot be stored, and is settled with the cost on the log', async () => {
    bench.generate = async function* () {
      yield* [text('Hello'), usage, finish];
    };
    const contentless = bench.withAppend((...args: Parameters<EventStore['append']>) =>
      args[0].startsWith('content-')
        ? Promise.reject(new EventStoreUnavailableError('disk full'))
        : bench.store.append(...args),
    );
    await expect(bench.run({}, contentless)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await bench.one('call-metered.v1')).toMatchObject({
      costPicodollars: bench.ended[0]!.replace('settled ', ''),
    });
  });

  it('leaves no trace of large content that the object store rejected', async () => {
    bench.generate = async function* () {
      yield* [text('Hello'), usage, finish];
    };
    await expect(bench.run({ input: () => ({ text: 'x'.repeat(70_000) }) })).rejects.toThrow();
    expect((await bench.log()).map((event) => event['type'])).toEqual(['call-opened.v1']);
  });

  it('is billed for its output until the caller left', async () => {
    const gone = new AbortController();
    bench.generate = async function* () {
      yield text('Hello!');
      gone.abort();
      throw new HostedModelError('cancelled', 'the caller has gone');
    };
    await expect(bench.run({ signal: gone.signal })).rejects.toMatchObject({ code: 'unavailable' });
    expect(await bench.one('call-metered.v1')).toMatchObject({
      status: 'failed',
      errorType: 'cancelled',
      outputTokens: 2,
    });
    expect(bench.ended).toEqual([`settled ${ESTIMATED_INPUT + 2n * 8_000_000n}`]);
  });

  it('is free if the caller leaves before any output', async () => {
    bench.generate = async function* () {
      yield* [] as GenerationEvent[];
      throw new HostedModelError('cancelled', 'the caller has gone');
    };
    await expect(bench.run()).rejects.toThrow();
    expect(bench.ended).toEqual(['settled 0']);
  });

  it('is free and recorded as failed if the provider breaks off', async () => {
    bench.generate = async function* () {
      yield text('Hello!');
      throw new HostedModelError('unavailable', 'the provider broke off');
    };
    await expect(bench.run()).rejects.toThrow('broke off');
    expect(await bench.one('call-content.v1')).toMatchObject({
      content: { output: 'Hello!', errorMessage: 'the provider broke off' },
    });
    expect(await bench.one('call-closed.v1')).toMatchObject({ outcome: 'failed' });
    expect(bench.ended).toEqual(['settled 0']);
  });

  it('is cancelled upstream and not answered if its opening cannot be logged', async () => {
    let cancelled = false;
    bench.generate = async function* ({ signal }) {
      try {
        yield text('Hello');
      } finally {
        cancelled = signal!.aborted;
      }
    };
    const failing = bench.withAppend(() => Promise.reject(new EventStoreUnavailableError('disk full')));
    await expect(bench.run({}, failing)).rejects.toMatchObject({ code: 'unavailable' });
    expect(cancelled).toBe(true);
    expect(bench.ended).toEqual([`settled ${ESTIMATED_INPUT}`]);
    expect(await bench.log()).toEqual([]);
  });

  it('is not answered before its opening is on the log', async () => {
    const held = Promise.withResolvers<void>();
    const slow = bench.withAppend(async (...args: Parameters<EventStore['append']>) => {
      await held.promise;
      return bench.store.append(...args);
    });
    const produced = Promise.withResolvers<void>();
    bench.generate = async function* () {
      produced.resolve();
      yield* [text('Hello'), usage, finish];
    };
    let answered = false;
    const answer = bench.run({}, slow).then(() => (answered = true));
    await produced.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    held.resolve();
    await answer;
  });

  it('is a conflict, recorded and free, for a model that is not served', async () => {
    await expect(bench.run({}, undefined, { ...ENTRY, supports_inference: false })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await bench.one('call-metered.v1')).toMatchObject({ status: 'failed', errorType: 'model_not_ready' });
    expect(bench.ended).toEqual(['settled 0']);
  });

  it.each([
    ['acme/none', null, 'not_found'],
    ['acme/embed', { ...ENTRY, task_type: 'embedding' as const }, 'invalid'],
    ['acme/base', { ...ENTRY, instruct: false }, 'invalid'],
  ])('requires a decoder: %s is refused', async (id, found, code) => {
    const nobody = {} as DecoderSource;
    const decoders = new Decoders({
      ...{ catalog: { resolve: () => found }, lifecycle: {} as Lifecycle, hosted: nobody, engines: nobody },
    });
    await expect(decoders.find(CALL.caller, id)).rejects.toMatchObject({ code });
  });
});
