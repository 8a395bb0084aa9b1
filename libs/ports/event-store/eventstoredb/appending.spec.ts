import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { appendDefinitely, aStream, events } from '../contract/log-under-test.js';
import type { AppendSample } from '../append-sample.js';
import {
  AppendOutcomeUnknownError,
  EventStoreUnavailableError,
  exactly,
  NO_STREAM,
  type LogReplacedError,
} from '../port.js';
import { eventually } from '#test/support/eventually.js';
import { serverWithStore, twoNodes } from './faults.fixture.js';
import { openEventStoreDb } from './index.js';

/** Appends after which every connection is cut once more. */
const CUT_EACH = 20;

describe('appending to EventStoreDB', () => {
  it.each([
    ['after it was stored', 'dropAppendsAfterStoring'],
    ['before it was stored', 'dropAppendsBeforeStoring'],
  ] as const)('has an unknown outcome when the connection is cut %s; a repeat is right', async (_, drop) => {
    await using opened = await serverWithStore();
    const { server, store } = opened;
    const s = aStream();
    const [first, second] = [events(2), events(3)];
    await store.append(s, NO_STREAM, first);
    server.control[drop](1);
    await expect(store.append(s, exactly(1), second)).rejects.toBeInstanceOf(AppendOutcomeUnknownError);
    const repeated = await appendDefinitely(store, s, exactly(1), second);
    const stored = await Array.fromAsync(store.readStream(s));
    expect(stored.map(({ id }) => id)).toEqual([...first, ...second].map(({ id }) => id));
    expect(repeated).toEqual({ revision: 4, position: stored.at(-1)!.position });
  });

  it("has an unknown outcome after the server's own timeout", async () => {
    await using opened = await serverWithStore();
    const { server, store } = opened;
    server.control.timeOutAppendsAfterStoring(1);
    await expect(store.append(aStream(), NO_STREAM, events(1))).rejects.toBeInstanceOf(AppendOutcomeUnknownError);
  });

  it('gives up on a silent server with an unknown outcome', async () => {
    await using opened = await serverWithStore({ writeDeadlineMs: 200, readDeadlineMs: 200 });
    const { server, store } = opened;
    const s = aStream();
    const own = events(2);
    server.control.silent = true;
    await expect(store.append(s, NO_STREAM, own)).rejects.toBeInstanceOf(AppendOutcomeUnknownError);
    await expect(Array.fromAsync(store.readStream(s))).rejects.toBeInstanceOf(EventStoreUnavailableError);
    await expect(store.head()).rejects.toBeInstanceOf(EventStoreUnavailableError);
    server.control.silent = false;
    expect((await appendDefinitely(store, s, NO_STREAM, own)).revision).toBe(1);
    expect(await Array.fromAsync(store.readStream(s))).toHaveLength(2);
  });

  it('recognises a repeat when a held append is stored in between', async () => {
    await using opened = await serverWithStore({ writeDeadlineMs: 150 });
    const { server, store } = opened;
    const s = aStream();
    const own = events(2);
    const release = server.control.holdAppends();
    await expect(store.append(s, NO_STREAM, own)).rejects.toBeInstanceOf(AppendOutcomeUnknownError);
    const repeated = appendDefinitely(store, s, NO_STREAM, own);
    release();
    expect((await repeated).revision).toBe(1);
    expect((await Array.fromAsync(store.readStream(s))).map(({ id }) => id)).toEqual(own.map(({ id }) => id));
  });

  it('is known to have failed without a connection or access', async () => {
    await using opened = await serverWithStore();
    const { server, store } = opened;
    server.control.denyAccess = true;
    await expect(store.append(aStream(), NO_STREAM, events(1))).rejects.toBeInstanceOf(EventStoreUnavailableError);
    server.control.denyAccess = false;
    await store.append(aStream(), NO_STREAM, events(1));
    await server.close();
    // The first one may be sent into the connection that is just breaking.
    await store.append(aStream(), NO_STREAM, events(1)).catch(() => undefined);
    await expect(store.append(aStream(), NO_STREAM, events(1))).rejects.toBeInstanceOf(EventStoreUnavailableError);
  });

  it('loses and duplicates nothing, and leaves no unhandled rejection, while connections are cut', async () => {
    await using opened = await serverWithStore();
    const { server, store } = opened;
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const written = Array.from({ length: 16 }, () => ({
      stream: aStream(),
      own: Array.from({ length: 15 }, () => events(1)),
    }));
    let appended = 0;
    await Promise.all(
      written.map(async ({ stream, own }) => {
        for (const [n, one] of own.entries()) {
          await appendDefinitely(store, stream, n === 0 ? NO_STREAM : exactly(n - 1), one);
          appended += 1;
          // The other streams are appended to at this moment.
          if (appended % CUT_EACH === 0) server.control.disconnectAll();
        }
      }),
    );
    for (const { stream, own } of written) {
      const stored = await Array.fromAsync(store.readStream(stream));
      expect(stored.map(({ id }) => id)).toEqual(own.flat().map(({ id }) => id));
    }
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it.each(['esdb://', 'esdb://ada:secret@'])(
    'never uses BatchAppend, with an address that starts with %s',
    async (start) => {
      const called = recordCalls(['append', 'batchAppend']);
      await using opened = await serverWithStore();
      const address = opened.server.address.replace('esdb://', start);
      const store = await openEventStoreDb({ address });
      await store.append(aStream(), NO_STREAM, events(3));
      await store.close();
      expect(called()).toEqual(['append']);
    },
  );

  it('reports the result of each append', async () => {
    const samples: AppendSample[] = [];
    await using opened = await serverWithStore({ onAppend: (sample) => samples.push(sample) });
    const s = aStream();
    await opened.store.append(s, NO_STREAM, events(3));
    await opened.store.append(s, NO_STREAM, events(1)).catch(() => undefined);
    opened.server.control.dropAppendsBeforeStoring(1);
    await opened.store.append(s, exactly(2), events(1)).catch(() => undefined);
    const own = samples.slice(-3).map(({ events: count, outcome }) => [count, outcome]);
    expect(own).toEqual([
      [3, 'stored'],
      [1, 'wrong-revision'],
      [1, 'unknown'],
    ]);
  });

  it('stays refused after a failed append, until a probe or an append succeeds', async () => {
    await using opened = await serverWithStore();
    const { server, store } = opened;
    server.control.dropAppendsBeforeStoring(2);
    await expect(store.append(aStream(), NO_STREAM, events(1))).rejects.toBeInstanceOf(AppendOutcomeUnknownError);
    expect(await store.takesWrites()).toBe(false);
    await store.append(aStream(), NO_STREAM, events(1));
    expect(await store.takesWrites()).toBe(true);
  });

  it('follows to the leader node, and returns when that is gone', async () => {
    await using nodes = await twoNodes();
    const { follower, leader, follow } = nodes;
    const store = await openEventStoreDb({ address: follower.address });
    follow();
    const s = aStream();
    const { position } = await store.append(s, NO_STREAM, events(2));
    expect((await Array.fromAsync(store.readStream(s))).at(-1)!.position).toBe(position);
    const atLeader = await openEventStoreDb({ address: leader.address });
    expect(await Array.fromAsync(atLeader.readStream(s))).toHaveLength(2);
    await atLeader.close();
    await leader.close();
    follower.control.leader = null;
    // The test servers replicate nothing, so that the follower lacks what the leader stored.
    const lacks = () =>
      store.head().then(
        () => null,
        (error: LogReplacedError) => error.lacks,
      );
    expect(await eventually(lacks)).toBe(position);
    await store.close();
  });
});

/** Records calls of the client's stubs. @returns a function that stops recording and returns the distinct names */
function recordCalls(names: readonly ('append' | 'batchAppend')[]): () => readonly string[] {
  const called = new Set<string>();
  const stubs = StreamsClient.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const originals = names.map((name) => [name, stubs[name]!] as const);
  for (const [name, original] of originals) {
    stubs[name] = function (...args) {
      called.add(name);
      return original.apply(this, args);
    };
  }
  return () => {
    for (const [name, original] of originals) stubs[name] = original;
    return [...called];
  };
}
