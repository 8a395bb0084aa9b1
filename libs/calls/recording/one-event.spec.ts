import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallContentBody, CallOpened } from '#domain/inference/index.js';
import type { Coordination } from '#ports/coordination/port.js';
import { EventStoreUnavailableError, type EventStore, type HeldEvents } from '#ports/event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { joined } from '#ports/event-store/wrappers.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { projections } from '#projections/index.js';
import { expectLiveEqualsRebuilt, type EventInLog } from '#test/support/live-equals-rebuilt.js';
import { CallRecorder, type RecordedCall } from './call-recorder.js';

const workspaceId = 'w1';
const at = '2030-01-02T03:04:05.678Z';
const context = (commandId: string) => ({ workspaceId, actor: 'key:k1', correlationId: 'r1', commandId, now: at });
const body = (text: string, output: CallContentBody['output'] = { entities: {} }): CallContentBody => ({
  ...{ input: { text, user: 'ada' }, output, errorMessage: null },
});

function call(inferenceId: string, more: object = {}, beside: Partial<RecordedCall> = {}): RecordedCall {
  const facts = {
    ...{ inferenceId, teamId: 't1', userId: 'u1', keyId: 'k1', modelId: 'tickets', baseModel: 'base', at },
    ...{ trainingJobId: 'j1', projectId: null, task: 'extract_entities', source: 'api', format: 'native' },
    ...{
      status: 'success',
      errorType: null,
      latencyMs: 1.5,
      ttftMs: null,
      price: { input: '2' },
      costPicodollars: '6',
    },
    ...{ inputTokens: 3, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, chargedTo: '2030-01/h1' },
  };
  return {
    metered: { ...facts, ...more } as unknown as RecordedCall['metered'],
    content: body(inferenceId),
    ...beside,
  };
}

const NAMED = { modelName: 'tickets', modelVersion: 7 };
const GENERATED = { task: 'generate', modelId: 'acme/chat' };
const thoughts = {
  ...{ toolCallId: 'toolu_1', provider: { name: 'claude', model: 'claude-1' } },
  parts: [{ text: 'Hm', signature: 'c2ln', redacted: false }],
};
const asRow = {
  ...{ modelName: 'tickets', modelVersion: 9, length: 9, beginning: 'A parcel.' },
  ...{ labels: ['shipping'], certainty: 0.7 },
};
const CALLS: readonly RecordedCall[] = [
  call('doubtful', NAMED, { leastCertain: { confidence: 0.4, label: 'city' } }),
  call('certain', NAMED, { leastCertain: { confidence: 0.99, label: 'city' } }),
  call('nothing-found', NAMED, { leastCertain: null }),
  call('not-stored', NAMED, { content: null, leastCertain: { confidence: 0.4, label: 'city' } }),
  call('failed', { ...NAMED, status: 'failed', errorType: 'internal' }, { content: { ...body('x'), output: null } }),
  call('compared', NAMED, { leastCertain: { confidence: 0.8, label: 'city' }, isCompared: true }),
  call(
    'shadow',
    { ...NAMED, modelVersion: 8, modelId: 'tickets@8', shadowOf: 'compared' },
    { isCompared: true, leastCertain: null },
  ),
  call('without-a-name', {}, { leastCertain: { confidence: 0.3, label: 'city' } }),
  call('long', NAMED, { content: body('y'.repeat(30_000)), leastCertain: null }),
  call('in-an-object', NAMED, { content: body('z'.repeat(90_000)), leastCertain: null }),
];
const OPENED: readonly RecordedCall[] = [
  call('generated', GENERATED),
  call('generated-by-name', { ...GENERATED, ...NAMED }, { thoughts }),
  call('of-a-cascade', { ...GENERATED, ...NAMED }, { asRow }),
  call('generated-unstored', GENERATED, { content: null }),
  call('broken-off', { ...GENERATED, status: 'failed', errorType: 'timeout' }),
];

/** Places in the log, and random keys. */
const DIFFERING: ReadonlySet<string> = new Set(['position', 'cipherKey']);

describe('a log that holds openings', () => {
  const directories: string[] = [];
  const stores: SqliteEventStore[] = [];
  let store: SqliteEventStore;
  beforeEach(async () => (store = await openStore()));
  afterEach(async () => {
    for (const each of stores.splice(0)) await each.close();
    for (const each of directories.splice(0)) await rm(each, { recursive: true });
  });

  async function openStore() {
    const directory = await mkdtemp(join(tmpdir(), 'anneal-one-event-'));
    directories.push(directory);
    const opened = await openSqliteEventStore({ directory, durability: 'normal' });
    stores.push(opened);
    return opened;
  }
  const objectStore = {
    put: async (key: string, { length: size }: Uint8Array) => ({ key, size, sha256: 'h' }),
  } as unknown as ObjectStore;
  const coordination = { compareAndSet: async () => null, get: async () => null } as unknown as Coordination;
  const recorder = (eventStore: EventStore) =>
    new CallRecorder({ eventStore, objectStore, coordination }, (content) => `mac of ${content.length}`);
  const opening = ({ metered }: RecordedCall) =>
    ({ ...metered, store: true, estimatedInputTokens: 5, reservedPicodollars: '9' }) as unknown as CallOpened['data'];
  const open = async (calls: CallRecorder, one: RecordedCall) => {
    const opened = calls.open(opening(one), context(one.metered.inferenceId));
    await opened.acknowledged;
    return opened;
  };
  const provider = { name: 'second', model: 'chat-b' };
  const recordAll = async (eventStore: EventStore) => {
    const calls = recorder(eventStore);
    for (const one of CALLS) await calls.record(one, context(one.metered.inferenceId));
    for (const one of OPENED)
      await (await open(calls, one)).close(one, one.metered.status === 'success' ? 'answered' : 'failed', provider);
    return eventsOf(eventStore);
  };
  const eventsOf = (log: EventStore) =>
    Array.fromAsync(log.readAll({ filter: { categories: ['metered', 'content'] } }));
  const held = async () => (await store.held.all()).map(({ data }) => data['inferenceId']);
  const withHeld = (changed: Partial<HeldEvents>): EventStore =>
    Object.assign(Object.create(store) as EventStore, { held: { ...store.held, ...changed } });

  it('has one event a call, with its end, the terms of its opening and its content', async () => {
    const events = await recordAll(store);
    expect(events.map(({ type, data }) => [type, data['inferenceId']])).toEqual(
      [...CALLS, ...OPENED].map(({ metered }) => ['call-metered.v1', metered.inferenceId]),
    );
    const [generated, , cascaded, unstored, broken] = events.slice(CALLS.length).map(({ data }) => data);
    const terms = { estimatedInputTokens: 5, reservedPicodollars: '9', provider };
    expect(generated).toMatchObject({ ...terms, outcome: 'answered', content: body('generated'), stored: true });
    expect(cascaded).toMatchObject({ asRow });
    expect(unstored).toMatchObject({ ...terms, stored: false, contentHmac: null });
    expect(unstored).not.toHaveProperty('content');
    expect(broken).toMatchObject({ ...terms, outcome: 'failed', status: 'failed' });
    expect(await held()).toEqual([]);
  });

  it('gives read models the documents that a log with several events a call gives them', async () => {
    const other = await openStore();
    const [whole, parts] = [await recordAll(store), await recordAll(joined(other, other))];
    expect(new Set(parts.map(({ type }) => type)).size).toBe(4);
    const erased = (events: readonly EventInLog[]) =>
      events.map((event) => {
        const { subject: _, thoughts: _thoughts, leastCertain: _least, asRow: _row, ...rest } = event.data;
        const nothing = { input: {}, output: null, errorMessage: null };
        return 'content' in rest
          ? { ...event, data: { ...rest, content: nothing, contentKey: 'c1', erased: true } }
          : event;
      });
    let documents = 0;
    for (const projection of projections)
      for (const form of [(events: readonly EventInLog[]) => events, erased]) {
        const ofWhole = await documentsOf(projection, form(whole));
        documents += ofWhole.size;
        expect([projection.name, ofWhole]).toEqual([projection.name, await documentsOf(projection, form(parts))]);
      }
    expect(documents).toBeGreaterThan(2 * CALLS.length);
  });

  async function documentsOf(projection: (typeof projections)[number], events: readonly EventInLog[]) {
    const found = await expectLiveEqualsRebuilt(
      projection,
      events.map(({ type, data, metadata }) => ({ type, data, ...(metadata && { metadata }) })),
    );
    return new Map(
      [...found].map(([id, { position: _, ...document }]) => [
        id,
        JSON.parse(JSON.stringify(document, (key, value: unknown) => (DIFFERING.has(key) ? key : value))) as object,
      ]),
    );
  }

  it('holds an opening from before the answer until the commit that has the end', async () => {
    const [first, second] = OPENED as [RecordedCall, RecordedCall];
    const calls = recorder(store);
    const [one, other] = [await open(calls, first), await open(calls, second)];
    expect((await held()).toSorted()).toEqual(['generated', 'generated-by-name']);
    expect(await eventsOf(store)).toEqual([]);
    await one.close(first, 'answered');
    expect(await held()).toEqual(['generated-by-name']);
    await other.close(second, 'answered');
    expect(await held()).toEqual([]);
  });

  it('lets go of an opening that is stored only while its call ends', async () => {
    const storing = Promise.withResolvers<void>();
    const slow = withHeld({
      async hold(...args) {
        await storing.promise;
        await store.held.hold(...args);
      },
    });
    const [one] = OPENED as [RecordedCall];
    const ended = recorder(slow).open(opening(one), context('generated')).close(one, 'failed');
    storing.resolve();
    await ended;
    expect(await held()).toEqual([]);
    expect(await eventsOf(store)).toHaveLength(1);
  });

  it('accepts no new calls once it refused an opening, until it takes a write again', async () => {
    let isDown = true;
    const failing = withHeld({
      hold: (...args) =>
        isDown ? Promise.reject(new EventStoreUnavailableError('disk full')) : store.held.hold(...args),
    });
    const calls = recorder(failing);
    const [one] = OPENED as [RecordedCall];
    await expect(open(calls, one)).rejects.toMatchObject({ code: 'unavailable' });
    expect(calls.accepting).toBe(false);
    isDown = false;
    await open(calls, one);
    expect(calls.accepting).toBe(true);
  });
});
