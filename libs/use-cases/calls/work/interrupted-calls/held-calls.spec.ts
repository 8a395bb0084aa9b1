import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '#application/application.js';
import { CallRecorder, type OpenedCall } from '#calls/recording/call-recorder.js';
import { WRITER_SILENT_MS } from '#calls/recording/writer-presence.js';
import type { CallOpened } from '#domain/inference/index.js';
import type { Coordination, Entry } from '#ports/coordination/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { interruptHeld } from './held-calls.js';

const at = '2030-01-02T03:04:05.678Z';
const longAfter = Date.parse(at) + WRITER_SILENT_MS + 1;
const contextOf = (commandId: string) => ({ workspaceId: 'w', actor: 'key:k', correlationId: 'r', now: at, commandId });
const facts = {
  ...{ inferenceId: 'i1', teamId: 't', userId: 'u', keyId: 'k', modelId: 'acme/chat', baseModel: 'acme/chat' },
  ...({ trainingJobId: null, projectId: null, task: 'generate', source: 'api', format: 'native', at } as const),
  price: { input: '2000000', output: '8000000', cacheRead: '200000', cacheWrite: '2500000' },
  chargedTo: 'month/holder',
};
const opening = { ...facts, store: true, estimatedInputTokens: 100, reservedPicodollars: '1' } satisfies Partial<
  CallOpened['data']
>;
const answered = {
  metered: {
    ...facts,
    status: 'success' as const,
    ...{ errorType: null, latencyMs: 1, ttftMs: null, inputTokens: 90, outputTokens: 5 },
    ...{ cacheReadTokens: 0, cacheWriteTokens: 0, costPicodollars: '220000000' },
  } as const,
  content: null,
};

describe('calls whose opening is held', () => {
  let directory: string;
  let eventStore: SqliteEventStore;
  /** The presence of writers in coordination. */
  let said: Map<string, Entry>;
  let recorder: CallRecorder;
  let call: OpenedCall;
  const coordination = {
    get: async (key: string) => said.get(key) ?? null,
    compareAndSet: async (key: string) => {
      const entry = { key, value: {}, version: (said.get(key)?.version ?? 0) + 1 };
      said.set(key, entry);
      return entry;
    },
  } as unknown as Coordination;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-held-calls-'));
    eventStore = await openSqliteEventStore({ directory, durability: 'normal' });
    said = new Map();
    recorder = new CallRecorder({ eventStore, objectStore: {} as ObjectStore, coordination }, () => 'mac');
    call = await open('i1');
  });
  afterEach(async () => {
    await eventStore.close();
    await rm(directory, { recursive: true });
  });

  const open = async (inferenceId: string) => {
    const opened = recorder.open({ ...opening, inferenceId }, contextOf(inferenceId));
    await opened.acknowledged;
    return opened;
  };
  const die = () => said.clear();
  const work = (now = longAfter) =>
    interruptHeld({ ports: { eventStore, coordination }, storedEvents: eventStore } as unknown as Application, now);
  const events = () => Array.fromAsync(eventStore.readAll({ filter: { categories: ['metered'] } }));

  it('are left alone for as long as a writer may be silent, and while it reports itself', async () => {
    await work();
    die();
    await work(longAfter - 1);
    expect([await events(), (await eventStore.held.all()).length]).toEqual([[], 1]);
  });

  it('are billed for their estimated input and no output, and listed as failed, once their writer has died', async () => {
    die();
    await Promise.all([work(), work()]);
    await work();
    const [event, ...others] = await events();
    expect(others).toEqual([]);
    expect(event!.data).toMatchObject({
      ...{ inferenceId: 'i1', outcome: 'interrupted', status: 'failed', errorType: 'internal' },
      ...{ inputTokens: 100, outputTokens: 0, costPicodollars: '200000000', stored: true, contentHmac: null },
      ...{ chargedTo: 'month/holder', estimatedInputTokens: 100, reservedPicodollars: '1' },
    });
    expect(event!.metadata.actor).toBe('system:interrupted-calls');
    expect(await eventStore.held.all()).toEqual([]);
  });

  it('of one writer all end, beside those that it has ended itself', async () => {
    const others = Array.from({ length: 15 }, (_, n) => `other-${n}`);
    for (const id of others) await open(id);
    await call.close(answered, 'answered');
    die();
    await work();
    const ended = (await events()).map(({ data }) => [data['inferenceId'], data['outcome']]);
    const interrupted = others.map((id) => [id, 'interrupted']);
    expect(ended.slice(0, 1)).toEqual([['i1', 'answered']]);
    expect(ended.slice(1).toSorted()).toEqual(interrupted.toSorted());
  });

  it('cannot be ended again by a writer that was taken for dead, which records other calls on', async () => {
    die();
    await work();
    await expect(call.close(answered, 'answered')).rejects.toMatchObject({ name: 'SupersededError' });
    const second = { ...answered, metered: { ...answered.metered, inferenceId: 'i2' } };
    await recorder.record(second, contextOf('i2'));
    expect((await events()).map(({ data }) => data['inferenceId'])).toEqual(['i1', 'i2']);
  });
});
