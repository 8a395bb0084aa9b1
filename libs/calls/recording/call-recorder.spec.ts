import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Coordination } from '#ports/coordination/port.js';
import type { CallContentBody, CallMetered } from '#domain/inference/index.js';
import { AppendOutcomeUnknownError, EventStoreUnavailableError, type EventStore } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { joined } from '#ports/event-store/wrappers.js';
import { decipheredFrom } from '#primitives/secrets/index.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { CallRecorder, type RecordedCall } from './call-recorder.js';

const workspaceId = 'w1';
const context = (id: string) => ({
  workspaceId,
  actor: 'key:k1',
  correlationId: 'r1',
  commandId: id,
  now: '2030-01-02T03:04:05.678Z',
});

function call(inferenceId: string, content: CallContentBody | null): RecordedCall {
  const metered = { inferenceId, modelId: 'm', inputTokens: 3 } as unknown as CallMetered['data'];
  return { metered, content };
}

const coordination = { compareAndSet: async () => null, get: async () => null } as unknown as Coordination;

const body = (text: string): CallContentBody => ({ input: { text }, output: { found: text }, errorMessage: null });

describe('recording calls', () => {
  let directory: string;
  /** Holds no openings. */
  let store: EventStore;
  const objects = new Map<string, Buffer>();
  const objectStore = {
    put: async (key: string, content: Uint8Array) => {
      objects.set(key, Buffer.from(content));
      return { key, size: content.length, sha256: 'h' };
    },
  } as unknown as ObjectStore;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-recorder-'));
    const opened = await openSqliteEventStore({ directory, durability: 'normal' });
    store = joined(opened, opened);
  });

  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const recorder = (eventStore: EventStore = store, options = {}) =>
    new CallRecorder({ eventStore, objectStore, coordination }, (content) => `mac of ${content.length}`, options);
  const recorded = (...types: string[]) => Array.fromAsync(store.readAll({ filter: { types } }));

  it('records simultaneous calls, each once, in both streams', async () => {
    const calls = recorder();
    const ids = Array.from({ length: 200 }, (_, index) => `i${index}`);
    await Promise.all(ids.map((id) => calls.record(call(id, body(id)), context(id))));
    for (const type of ['call-metered.v1', 'call-content.v1']) {
      const events = await recorded(type);
      expect(events.map(({ data }) => data['inferenceId']).sort()).toEqual([...ids].sort());
      expect(new Set(events.map(({ stream }) => stream)).size).toBe(1);
    }
  });

  it('writes no content event without content, and no trace of it in the other', async () => {
    await recorder().record(call('i1', null), context('i1'));
    const [metered, ...others] = await recorded('call-metered.v1', 'call-content.v1');
    expect(others).toEqual([]);
    expect(metered!.data).toMatchObject({ stored: false, contentHmac: null, workspaceId });
  });

  it('stores large content in the object store, with its place in the event', async () => {
    const large = body('x'.repeat(100_000));
    await recorder().record(call('i1', large), context('i1'));
    const [event] = await recorded('call-content.v1');
    const { objectKey, cipherKey } = event!.data['content'] as { objectKey: string; cipherKey: string };
    const stored = objects.get(objectKey)!;
    expect(stored.includes('x'.repeat(16))).toBe(false);
    const pieces = (async function* () {
      yield stored;
    })();
    const read = Buffer.concat(await Array.fromAsync(decipheredFrom(pieces, cipherKey)));
    expect(JSON.parse(read.toString())).toEqual(large);
  });

  it('stores content above the given bytes of UTF-8 in the object store, and smaller content in the event', async () => {
    const calls = recorder(store, { inlineBytes: 9_000 });
    const ofText = (text: string) => ({ input: { text }, output: null, errorMessage: null });
    const fitting = ofText('x'.repeat(9_000 - JSON.stringify(ofText('')).length));
    const contents = { fitting, longer: ofText(`${fitting.input.text}x`), wide: ofText('é'.repeat(4_500)) };
    for (const [id, content] of Object.entries(contents)) await calls.record(call(id, content), context(id));
    const kept = (await recorded('call-content.v1')).map(({ data }) => data['content']);
    expect(kept[0]).toEqual(fitting);
    const ofObject = (id: string) => expect.objectContaining({ objectKey: `calls/${workspaceId}/${id}.json` });
    expect(kept.slice(1)).toEqual([ofObject('longer'), ofObject('wide')]);
  });

  it('does not record a call twice whose append succeeded without an answer', async () => {
    let answersToLose = 1;
    const losing = Object.assign(Object.create(store) as EventStore, {
      append: async (...args: Parameters<EventStore['append']>) => {
        const result = await store.append(...args);
        if (answersToLose-- > 0) throw new AppendOutcomeUnknownError('the answer was lost');
        return result;
      },
    });
    const calls = recorder(losing);
    await calls.record(call('i1', null), context('i1'));
    await calls.record(call('i2', null), context('i2'));
    expect((await recorded('call-metered.v1')).map(({ data }) => data['inferenceId'])).toEqual(['i1', 'i2']);
  });

  it('refuses calls while the log refuses writes, and starts no new ones', async () => {
    let down = true;
    const failing = Object.assign(Object.create(store) as EventStore, {
      append: (...args: Parameters<EventStore['append']>) =>
        down ? Promise.reject(new EventStoreUnavailableError('disk full')) : store.append(...args),
    });
    const calls = recorder(failing);
    expect(calls.accepting).toBe(true);
    await expect(calls.record(call('i1', null), context('i1'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(calls.accepting).toBe(false);
    down = false;
    await calls.record(call('i2', null), context('i2'));
    expect(calls.accepting).toBe(true);
    expect((await recorded('call-metered.v1')).map(({ data }) => data['inferenceId'])).toEqual(['i2']);
  });

  it('refuses calls that wait behind an unanswered append, without a second wait', async () => {
    let appends = 0;
    const begun = Promise.withResolvers<void>();
    const unanswered = Promise.withResolvers<never>();
    const silent = Object.assign(Object.create(store) as EventStore, {
      append: () => {
        appends += 1;
        begun.resolve();
        return unanswered.promise;
      },
    });
    const calls = recorder(silent);
    const first = calls.record(call('i1', null), context('i1'));
    await begun.promise;
    const behind = calls.record(call('i2', null), context('i2'));
    unanswered.reject(new EventStoreUnavailableError('no answer'));
    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    await expect(behind).rejects.toMatchObject({ code: 'unavailable' });
    expect(appends).toBe(1);
  });

  it('records a call that spans midnight without reading the day again', async () => {
    let read = 0;
    const counting = Object.assign(Object.create(store) as EventStore, {
      readStream: async function* (...args: Parameters<EventStore['readStream']>) {
        for await (const event of store.readStream(...args)) {
          read += 1;
          yield event;
        }
      },
    });
    const calls = recorder(counting);
    const on = (day: string, id: string) => ({ ...context(id), now: `2030-01-${day}T00:00:00.000Z` });
    for (const [day, id] of [
      ['02', 'i1'],
      ['03', 'i2'],
      ['02', 'i3'],
      ['03', 'i4'],
    ] as const)
      await calls.record(call(id, body(id)), on(day, id));
    expect((await recorded('call-content.v1')).map(({ data }) => data['inferenceId'])).toEqual([
      'i1',
      'i2',
      'i3',
      'i4',
    ]);
    expect(read).toBe(0);
  });

  it('lets a worker close a call whose end was not logged, despite later calls', async () => {
    let down = false;
    const failing = Object.assign(Object.create(store) as EventStore, {
      append: (...args: Parameters<EventStore['append']>) =>
        down ? Promise.reject(new EventStoreUnavailableError('disk full')) : store.append(...args),
    });
    const calls = recorder(failing);
    const open = async (id: string) => {
      const opened = calls.open({ inferenceId: id } as Parameters<CallRecorder['open']>[0], context(id));
      await opened.acknowledged;
      return opened;
    };
    const first = await open('i1');
    down = true;
    await expect(first.close(call('i1', null), 'answered')).rejects.toMatchObject({ code: 'unavailable' });
    down = false;
    const second = await open('i2');
    const third = await open('i3');
    const [of1, of2, of3] = (await recorded('call-opened.v1')).map(({ data }) => data['writer']);
    // A worker tells by the writer whether a call's process is still alive.
    expect(of2).not.toBe(of1);
    expect(of3).toBe(of2);
    await Promise.all([second.close(call('i2', null), 'answered'), third.close(call('i3', null), 'answered')]);
    expect((await recorded('call-closed.v1')).map(({ data }) => data['inferenceId'])).toEqual(['i2', 'i3']);
  });
});
