import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Coordination } from '#coordination/port.js';
import { EventStoreUnavailableError, type EventStore } from '#event-store/port.js';
import { openSqliteEventStore } from '#event-store/sqlite/index.js';
import {
  HostedModelError,
  textMessage,
  type GenerateOptions,
  type GenerationEvent,
  type HostedModels,
} from '#hosted-models/port.js';
import type { CatalogEntry } from '#model-catalog/catalog.js';
import type { ObjectStore } from '#object-store/port.js';
import type { Reservation } from '../billing/index.js';
import { CallRecorder } from '../recording/call-recorder.js';
import { HostedDecoderCalls, type DecoderCall } from './index.js';

const entry = {
  ...{ id: 'acme/chat', task_type: 'decoder', supports_inference: true, provider: { name: 'acme', model: 'chat' } },
  ...{ input_price_per_million: 2, output_price_per_million: 8 },
  ...{ cache_read_price_per_million: 0.2, cache_write_price_per_million: 2.5 },
} as unknown as CatalogEntry;
const call: DecoderCall = {
  caller: { kind: 'key', userId: 'u', teamId: 't', workspaceId: 'w', keyId: 'k' },
  correlationId: 'r',
  request: { messages: [textMessage('user', 'x'.repeat(300))], maxTokens: 10 },
  input: {},
  store: true,
  projectId: null,
  format: 'native',
  task: 'generate',
};
const text = (said: string): GenerationEvent => ({ type: 'text', part: 0, text: said });
const usage: GenerationEvent = {
  type: 'usage',
  usage: { inputTokens: 100, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0 },
};
const finish: GenerationEvent = { type: 'finish', reason: 'stop' };
/** 100 tokens of 300 bytes, and 8 for the message, at 2 millionths of a dollar. */
const ESTIMATED_INPUT = 108n * 2_000_000n;

describe('a call of a hosted decoder', () => {
  let directory: string;
  let store: EventStore;
  let generate: (options: GenerateOptions) => AsyncIterable<GenerationEvent>;
  let reserved: bigint[];
  let ended: string[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-calls-'));
    store = await openSqliteEventStore({ directory, durability: 'normal' });
    reserved = [];
    ended = [];
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const run = (eventStore = store, more: Partial<DecoderCall> = {}, served = entry) => {
    const hosted: HostedModels = {
      has: (name) => name === 'acme',
      async *generate(_model, _request, options = {}) {
        for await (const event of generate(options)) yield [event];
      },
      embed: () => Promise.reject(new Error('not asked for')),
      countTokens: async () => null,
      close: async () => undefined,
    };
    const coordination = { compareAndSet: async () => null, get: async () => null } as unknown as Coordination;
    const recorder = new CallRecorder({ eventStore, objectStore: {} as ObjectStore, coordination }, () => 'mac');
    const reservation: Reservation = {
      chargedTo: 'month/holder',
      settle: (cost) => void ended.push(`settled ${cost}`),
      release: () => void ended.push('released'),
    };
    const admit = ({ worstCase }: { worstCase: bigint }) => {
      reserved.push(worstCase);
      return reservation;
    };
    const catalog = { resolve: (_caller: unknown, id: string) => (id === entry.id ? entry : null) };
    const calls = new HostedDecoderCalls({ catalog, hosted, recorder, billing: { admit } });
    return calls.run({ modelId: served.id, entry: served }, { ...call, ...more });
  };
  const log = async () => {
    const events = await Array.fromAsync(store.readAll({ filter: { categories: ['metered', 'content'] } }));
    return events.map(({ type, data }) => ({ type, ...data }));
  };
  const one = async (type: string) => (await log()).find((event) => event['type'] === type)!;

  test('reserves its worst case, and is settled with what it cost', async () => {
    generate = async function* () {
      yield* [text('Hel'), text('lo'), usage, finish];
    };
    const answer = await run();
    expect(answer).toMatchObject({ text: 'Hello', finishReason: 'stop', usage: { inputTokens: 100, outputTokens: 4 } });
    // 300 bytes, 8 for the message and 64 around all, at the dearest of the input's prices, 2.5; ten tokens of output.
    expect(reserved).toEqual([372n * 2_500_000n + 10n * 8_000_000n]);
    expect(ended).toEqual([`settled ${100 * 2_000_000 + 4 * 8_000_000}`]);
    expect(await one('call-metered.v1')).toMatchObject({ chargedTo: 'month/holder', stored: true });
    expect(await one('call-opened.v1')).toMatchObject({ chargedTo: 'month/holder', estimatedInputTokens: 108 });
  });

  test('costs no more than was reserved for it, though each byte of its input is a token', async () => {
    const digits = { messages: [textMessage('user', '1'.repeat(3_000))], maxTokens: 10 };
    const counted = { inputTokens: 3_030, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };
    generate = async function* () {
      yield* [text('Hello'), { type: 'usage', usage: counted } as const, finish];
    };
    await run(store, { request: digits });
    const [spent] = ended.map((each) => BigInt(each.replace('settled ', '')));
    expect(spent! <= reserved[0]!).toBe(true);
  });

  test('whose content cannot be kept is not answered, and settled with what the log says that it cost', async () => {
    generate = async function* () {
      yield* [text('Hello'), usage, finish];
    };
    const contentless = Object.assign(Object.create(store) as EventStore, {
      append: (...args: Parameters<EventStore['append']>) =>
        args[0].startsWith('content-')
          ? Promise.reject(new EventStoreUnavailableError('disk full'))
          : store.append(...args),
    });
    await expect(run(contentless)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await one('call-metered.v1')).toMatchObject({ costPicodollars: ended[0]!.replace('settled ', '') });
  });

  test('whose large content the object store does not take leaves nothing that says it was kept', async () => {
    generate = async function* () {
      yield* [text('Hello'), usage, finish];
    };
    await expect(run(store, { input: { text: 'x'.repeat(70_000) } })).rejects.toThrow();
    expect((await log()).map((event) => event['type'])).toEqual(['call-opened.v1']);
  });

  test('whose caller leaves is billed what was produced until then', async () => {
    const gone = new AbortController();
    generate = async function* () {
      yield text('Hello!');
      gone.abort();
      throw new HostedModelError('cancelled', 'the caller has gone');
    };
    await expect(run(store, { signal: gone.signal })).rejects.toMatchObject({ code: 'unavailable' });
    expect(await one('call-metered.v1')).toMatchObject({ status: 'failed', errorType: 'cancelled', outputTokens: 2 });
    expect(ended).toEqual([`settled ${ESTIMATED_INPUT + 2n * 8_000_000n}`]);
  });

  test('whose caller leaves before anything came costs nothing', async () => {
    generate = async function* () {
      yield* [] as GenerationEvent[];
      throw new HostedModelError('cancelled', 'the caller has gone');
    };
    await expect(run()).rejects.toThrow();
    expect(ended).toEqual(['settled 0']);
  });

  test('that the provider breaks off costs nothing, and none of it is kept', async () => {
    generate = async function* () {
      yield text('Hello!');
      throw new HostedModelError('unavailable', 'the provider broke off');
    };
    await expect(run()).rejects.toThrow('broke off');
    expect(await one('call-content.v1')).toMatchObject({
      content: { output: 'Hello!', errorMessage: 'the provider broke off' },
    });
    expect(await one('call-closed.v1')).toMatchObject({ outcome: 'failed' });
    expect(ended).toEqual(['settled 0']);
  });

  test('that the log does not open is cancelled upstream, and not answered', async () => {
    let cancelled = false;
    generate = async function* ({ signal }) {
      try {
        yield text('Hello');
      } finally {
        cancelled = signal!.aborted;
      }
    };
    const failing = Object.assign(Object.create(store) as EventStore, {
      append: () => Promise.reject(new EventStoreUnavailableError('disk full')),
    });
    await expect(run(failing)).rejects.toMatchObject({ code: 'unavailable' });
    expect(cancelled).toBe(true);
    expect(ended).toEqual([`settled ${ESTIMATED_INPUT}`]);
    expect(await log()).toEqual([]);
  });

  test('is not answered before its opening is on the log', async () => {
    const held = Promise.withResolvers<void>();
    const slow = Object.assign(Object.create(store) as EventStore, {
      append: async (...args: Parameters<EventStore['append']>) => {
        await held.promise;
        return store.append(...args);
      },
    });
    const produced = Promise.withResolvers<void>();
    generate = async function* () {
      produced.resolve();
      yield* [text('Hello'), usage, finish];
    };
    let answered = false;
    const answer = run(slow).then(() => (answered = true));
    await produced.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    held.resolve();
    await answer;
  });

  test('of a model that is not served here is a conflict, recorded and free', async () => {
    await expect(run(store, {}, { ...entry, supports_inference: false })).rejects.toMatchObject({ code: 'conflict' });
    await expect(run(store, {}, { ...entry, provider: null })).rejects.toMatchObject({ code: 'conflict' });
    expect(await one('call-metered.v1')).toMatchObject({ status: 'failed', errorType: 'model_not_ready' });
    expect(ended).toEqual(['settled 0', 'settled 0']);
  });

  test.each([
    ['acme/none', null, 'not_found'],
    ['acme/embed', { ...entry, task_type: 'embedding' as const }, 'invalid'],
  ])('names a decoder: %s is refused', async (id, found, code) => {
    const calls = new HostedDecoderCalls({
      catalog: { resolve: () => found },
      hosted: {} as HostedModels,
      recorder: {} as CallRecorder,
      billing: { admit: () => Promise.reject(new Error('nobody asks')) },
    });
    await expect(calls.find(call.caller, id)).rejects.toMatchObject({ code });
  });
});
