import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '#application/application.js';
import { CallRecorder, type OpenedCall } from '#calls/recording/call-recorder.js';
import { WRITER_SILENT_MS } from '#calls/recording/writer-presence.js';
import type { Coordination, Entry } from '#ports/coordination/port.js';
import type { EventStore, RecordedEvent } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { joined } from '#ports/event-store/wrappers.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { evolve } from '#log/projector/handlers.js';
import { interruptedCalls, OPEN_CALLS, pendingCalls, type OpenCalls } from './process-manager.js';

const at = '2030-01-02T03:04:05.678Z';
const longAfter = Date.parse(at) + WRITER_SILENT_MS + 1;
const context = { workspaceId: 'w', actor: 'key:k', correlationId: 'r', now: at, commandId: 'i1' };
const common = {
  inferenceId: 'i1',
  teamId: 't',
  userId: 'u',
  keyId: 'k',
  modelId: 'acme/chat',
  baseModel: 'acme/chat',
  trainingJobId: null,
  projectId: null,
  task: 'generate',
  source: 'api',
  format: 'native',
  at,
  price: { input: '2000000', output: '8000000', cacheRead: '200000', cacheWrite: '2500000' },
  chargedTo: 'month/holder',
} as const;
const opening = { ...common, store: true, estimatedInputTokens: 100, reservedPicodollars: '1' };
const answered = {
  ...common,
  status: 'success' as const,
  errorType: null,
  latencyMs: 1,
  ttftMs: null,
  inputTokens: 90,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costPicodollars: '220000000',
};

describe('interrupted calls', () => {
  let directory: string;
  let eventStore: EventStore;
  /** The presence of writers in coordination. */
  let said: Map<string, Entry>;
  const coordination = {
    get: async (key: string) => said.get(key) ?? null,
    compareAndSet: async (key: string) => {
      const entry = { key, value: {}, version: (said.get(key)?.version ?? 0) + 1 };
      said.set(key, entry);
      return entry;
    },
  } as unknown as Coordination;
  let recorder: CallRecorder;
  let call: OpenedCall;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-interrupted-'));
    const opened = await openSqliteEventStore({ directory, durability: 'normal' });
    eventStore = joined(opened, opened);
    said = new Map();
    call = await open();
  });
  afterEach(async () => {
    await eventStore.close();
    await rm(directory, { recursive: true });
  });

  const open = async () => {
    recorder = new CallRecorder({ eventStore, objectStore: {} as ObjectStore, coordination }, () => 'mac');
    const opened = recorder.open(opening, context);
    await opened.acknowledged;
    return opened;
  };
  const manager = () => interruptedCalls({ ports: { eventStore, coordination } } as unknown as Application);
  const die = () => said.clear();
  const events = () => Array.fromAsync(eventStore.readAll({ filter: { categories: ['metered'] } }));
  const state = (seen: readonly RecordedEvent[]): OpenCalls =>
    seen.reduce<OpenCalls>((open, event) => evolve(OPEN_CALLS, open, event), { calls: new Map(), last: null });
  const work = async (seen: readonly RecordedEvent[]) => {
    for (const one of pendingCalls(state(seen), longAfter)) await manager().execute(one, AbortSignal.timeout(300_000));
  };

  it('are those open for longer than a writer may be silent', async () => {
    const calls = state(await events());
    expect(pendingCalls(calls, longAfter - 1)).toEqual([]);
    expect(pendingCalls(calls, longAfter).map(({ opened }) => opened.inferenceId)).toEqual(['i1']);
  });

  it('are what a next leader begins at: the oldest of them, else the last end', async () => {
    const settled = async () => manager().settled!(state(await events()));
    expect(await settled()).toBeNull();
    await call.close({ metered: answered, content: null }, 'answered');
    const [, closed] = await events();
    const mark = { position: closed!.position, id: closed!.id };
    expect(await settled()).toEqual(mark);
    const others = ['i2', 'i3'].map((inferenceId) =>
      recorder.open({ ...opening, inferenceId }, { ...context, commandId: inferenceId }),
    );
    for (const { acknowledged } of others) await acknowledged;
    await others[1]!.close({ metered: { ...answered, inferenceId: 'i3' }, content: null }, 'answered');
    expect(await settled()).toEqual(mark);
  });

  it('are billed for their estimated input and no output, and listed as failed', async () => {
    die();
    await work(await events());
    const [, closed, metered] = await events();
    expect(closed).toMatchObject({ type: 'call-closed.v1', data: { inferenceId: 'i1', outcome: 'interrupted' } });
    expect(metered!.data).toMatchObject({
      ...{ status: 'failed', errorType: 'internal', inputTokens: 100, outputTokens: 0, costPicodollars: '200000000' },
      ...{ stored: true, contentHmac: null, chargedTo: 'month/holder' },
    });
    expect(state(await events()).calls.size).toBe(0);
  });

  it('are closed once, however often it is tried', async () => {
    die();
    const seen = await events();
    await Promise.all([work(seen), work(seen)]);
    await work(seen);
    expect((await events()).map(({ type }) => type)).toEqual(['call-opened.v1', 'call-closed.v1', 'call-metered.v1']);
  });

  it('of one writer are all closed at once', async () => {
    const others = Array.from({ length: 15 }, (_, n) => `other-${n}`);
    for (const inferenceId of others)
      await recorder.open({ ...opening, inferenceId }, { ...context, commandId: inferenceId }).acknowledged;
    die();
    const pending = pendingCalls(state(await events()), longAfter);
    await Promise.all(pending.map((one) => manager().execute(one, AbortSignal.timeout(300_000))));
    expect(state(await events()).calls.size).toBe(0);
    expect(await events()).toHaveLength(3 * 16);
  });

  it('exclude those of a live writer, from its first call on', async () => {
    await work(await events());
    expect(await events()).toHaveLength(1);
  });

  it('cannot be closed again by a writer that was declared dead', async () => {
    die();
    await work(await events());
    await expect(call.close({ metered: answered, content: null }, 'answered')).rejects.toMatchObject({
      name: 'SupersededError',
    });
    expect(await events()).toHaveLength(3);
  });

  it('are not closed again if their writer closed them first', async () => {
    die();
    const seen = await events();
    await call.close({ metered: answered, content: null }, 'answered');
    await work(seen);
    expect((await events()).map(({ data }) => data['outcome'] ?? data['status'] ?? null)).toEqual([
      null,
      'answered',
      'success',
    ]);
  });

  it('do not prevent their writer from recording other calls', async () => {
    die();
    await work(await events());
    const second = { ...context, commandId: 'i2' };
    await recorder.record({ metered: { ...answered, inferenceId: 'i2' }, content: null }, second);
    expect((await events()).map(({ data }) => data['inferenceId'])).toEqual(['i1', 'i1', 'i1', 'i2']);
  });
});
