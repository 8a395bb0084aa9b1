import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectedAfter, type EventToAppend } from '#event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#event-store/sqlite/index.js';
import type { JsonObject } from '#domain/json.js';
import { SqliteReadStore } from '#read-store/sqlite/sqlite-read-store.js';
import { collectionOf } from './collection.js';
import { ProjectionHost, type ProjectionHostOptions } from './host.js';
import type { Projection } from './projection.js';
import type { ProjectionAdvance } from './status.js';

const accounts: Projection = {
  name: 'accounts',
  version: 1,
  handles: ['opened.v1', 'paid.v1', 'closed.v1'],
  indexes: [{ fields: ['workspaceId', 'n'] }],
  ordinals: [{ field: 'n', within: ['workspaceId'] }],
  key: ({ data }) => data['account'] as string,
  apply(document, { type, data }) {
    if (type === 'closed.v1') return null;
    if (data['poison'] === true && !healed) throw new Error('cannot be applied');
    if (type === 'opened.v1') return { id: data['account']!, workspaceId: 'w1', balance: 0 };
    return document && { ...document, balance: (document['balance'] as number) + (data['amount'] as number) };
  },
};
let healed = false;

const names: Projection = {
  name: 'names',
  version: 1,
  handles: ['named.v1'],
  indexes: [],
  key: ({ data }) => data['account'] as string,
  apply: (_, { data }) => ({ name: data['name']! }),
};

describe('projection host', () => {
  let directory: string;
  let log: SqliteEventStore;
  let store: SqliteReadStore;
  let host: ProjectionHost | null;
  let heads: Map<string, number>;
  let advanced: Map<string, ProjectionAdvance>;
  let onAdvanced: () => void;

  beforeEach(async () => {
    healed = false;
    directory = await mkdtemp(join(tmpdir(), 'projections-'));
    log = await openSqliteEventStore({ directory, durability: 'normal' });
    store = new SqliteReadStore({ directory: join(directory, 'read') });
    host = null;
    heads = new Map();
    advanced = new Map();
    onAdvanced = () => undefined;
  });
  afterEach(async () => {
    await host?.close();
    await store.close();
    await log.close();
    await rm(directory, { recursive: true });
  });

  let serial = 0;
  const append = async (account: string, ...events: readonly (readonly [string, JsonObject?])[]) => {
    const stream = `account-${account}`;
    const revision = heads.get(stream) ?? -1;
    heads.set(stream, revision + events.length);
    const toAppend = events.map(([type, data]): EventToAppend => {
      const id = `00000000-0000-4000-8000-${String((serial += 1)).padStart(12, '0')}`;
      const occurredAt = new Date().toISOString();
      const metadata = {
        workspaceId: 'w1',
        actor: 'user:u',
        correlationId: id,
        causationId: id,
        commandId: id,
        occurredAt,
      };
      return { id, type, data: { account, ...data }, metadata };
    });
    return (await log.append(stream, expectedAfter(revision), toAppend)).position;
  };

  const start = (projections: readonly Projection[] = [accounts, names], more: Partial<ProjectionHostOptions> = {}) => {
    advanced.clear();
    host = new ProjectionHost({
      eventStore: log,
      readStore: store,
      projections,
      onAdvance(advances) {
        for (const advance of advances) advanced.set(advance.projection, advance);
        onAdvanced();
      },
      ...more,
    }).start();
    return host;
  };
  const stop = async () => {
    await host?.close();
    host = null;
  };

  /** Until all projections are live and have seen the position. */
  const seen = (position: string, projections = host!.status().map(({ name }) => name)) =>
    until(() => projections.every((name) => advanced.get(name)?.live && advanced.get(name)!.position >= position));
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise<void>((resolve) => (onAdvanced = resolve));
  };
  const stateOf = (name: string) => host!.status().find((status) => status.name === name)!;
  const rebuilt = async (name: string) => {
    await host!.rebuild(name);
    await until(() => stateOf(name).state === 'live');
  };
  const balance = async (account: string) => (await store.get('accounts', account))?.['balance'];

  test('history and live events end up in documents, and each projection says how far it is', async () => {
    await append('a', ['opened.v1'], ['paid.v1', { amount: 3 }], ['named.v1', { name: 'Ada' }]);
    start();
    await seen((await log.head()).position!);
    expect(await balance('a')).toBe(3);
    const position = await append('a', ['paid.v1', { amount: 4 }]);
    await seen(position);
    expect(await balance('a')).toBe(7);
    expect(await store.get('names', 'a')).toEqual({ name: 'Ada' });
    expect(host!.status()).toMatchObject([
      { name: 'accounts', version: 1, state: 'live', position, lagEvents: 0, lagSeconds: 0, parked: 0, error: null },
      { name: 'names', state: 'live', position },
    ]);
  });

  test('an event that a projection does not handle moves it on all the same', async () => {
    start();
    await seen(await append('a', ['unrelated.v1']));
  });

  test('after a stop it goes on where it was, and events are applied once', async () => {
    start();
    await seen(await append('a', ['opened.v1'], ['paid.v1', { amount: 1 }]));
    await stop();
    await append('a', ['paid.v1', { amount: 1 }]);
    start();
    await seen((await log.head()).position!);
    expect(await balance('a')).toBe(2);
  });

  test('ordinals are dense in log order, and the same after a rebuild', async () => {
    start();
    for (const account of ['c', 'a', 'b']) await append(account, ['opened.v1']);
    await append('a', ['closed.v1']);
    await seen(await append('d', ['opened.v1']));
    const numbers = async () => {
      const order = { field: 'n', direction: 'ascending' } as const;
      const found = await store.find('accounts', { where: { workspaceId: 'w1' }, order, limit: 10 });
      return found.map(({ id, n }) => [id, n]);
    };
    const live = await numbers();
    expect(live).toEqual([
      ['c', 1],
      ['b', 3],
      ['d', 4],
    ]);
    await rebuilt('accounts');
    expect((await store.activeVersions()).get('accounts')).toBe(collectionOf(accounts, 1).version);
    expect(await numbers()).toEqual(live);
  });

  describe('an event that fails', () => {
    beforeEach(async () => {
      start();
      await append('a', ['opened.v1'], ['paid.v1', { amount: 1 }]);
      await append('b', ['opened.v1']);
      await append('a', ['paid.v1', { amount: 10, poison: true }], ['paid.v1', { amount: 100 }]);
      await seen(await append('b', ['paid.v1', { amount: 5 }]));
    });

    test('parks its key with that key’s later events, and the rest goes on', async () => {
      expect(await balance('a')).toBe(1);
      expect(await balance('b')).toBe(5);
      expect(host!.parked()[0]).toMatchObject({
        projection: 'accounts',
        keys: [{ key: 'a', eventType: 'paid.v1', events: 2, error: 'Error: cannot be applied' }],
      });
      expect(stateOf('accounts').parked).toBe(1);
    });

    test('is still parked after a restart', async () => {
      await stop();
      await append('a', ['paid.v1', { amount: 1000 }]);
      start();
      await seen((await log.head()).position!);
      expect(host!.parked()[0]!.keys).toMatchObject([{ key: 'a', events: 3 }]);
      expect(await balance('a')).toBe(1);
    });

    test('a retry applies what waited, in order, once it can', async () => {
      expect(await host!.retry('accounts')).toBe(0);
      expect(host!.parked()[0]!.keys).toHaveLength(1);
      healed = true;
      expect(await host!.retry('accounts', 'a')).toBe(1);
      expect(host!.parked()[0]!.keys).toEqual([]);
      expect(await balance('a')).toBe(111);
      await seen(await append('a', ['paid.v1', { amount: 1000 }]));
      expect(await balance('a')).toBe(1111);
      await stop();
      start();
      expect(host!.parked()[0]!.keys).toEqual([]);
    });

    test('a rebuild forgets what was parked', async () => {
      healed = true;
      await rebuilt('accounts');
      expect(await balance('a')).toBe(111);
      expect(host!.parked()[0]!.keys).toEqual([]);
    });
  });

  test('a document that the store refuses parks its key', async () => {
    const unique: Projection = {
      ...names,
      indexes: [{ fields: ['name'], unique: true }],
    };
    start([unique]);
    await append('a', ['named.v1', { name: 'Ada' }]);
    await append('b', ['named.v1', { name: 'Ada' }]);
    await seen(await append('c', ['named.v1', { name: 'Cleo' }]));
    expect(host!.parked()[0]!.keys.map(({ key }) => key)).toEqual(['b']);
    expect(await store.get('names', 'c')).toEqual({ name: 'Cleo' });
  });

  test('a changed version is built beside the old one, takes over when caught up, and the old one goes', async () => {
    start([names]);
    await seen(await append('a', ['named.v1', { name: 'Ada' }]));
    await stop();
    const gate = Promise.withResolvers<void>();
    const upper: Projection = {
      ...names,
      version: 2,
      apply: (_, { data }) => ({ name: (data['name'] as string).toUpperCase() }),
    };
    const slow = Object.assign(Object.create(store) as SqliteReadStore, {
      activate: async (name: string, version: number) => {
        expect(await store.get('names', 'a')).toEqual({ name: 'Ada' });
        gate.resolve();
        await store.activate(name, version);
      },
    });
    start([upper], { readStore: slow });
    await gate.promise;
    await seen((await log.head()).position!);
    expect(await store.get('names', 'a')).toEqual({ name: 'ADA' });
    expect(await store.versions('names')).toEqual([collectionOf(upper).version]);
  });

  test('an unknown version of a handled type stops the projection before it, visibly, and no other one', async () => {
    start();
    const before = await append('a', ['opened.v1'], ['paid.v1', { amount: 1 }]);
    await append('a', ['paid.v2', { cents: 100 }], ['paid.v1', { amount: 50 }]);
    const last = await append('a', ['named.v1', { name: 'Ada' }]);
    await seen(last, ['names']);
    await until(() => stateOf('accounts').state === 'stopped');
    expect(stateOf('accounts')).toMatchObject({
      state: 'stopped',
      position: before,
      error: expect.stringContaining('version 2'),
    });
    expect(await balance('a')).toBe(1);
    await stop();
    start();
    await seen(last, ['names']);
    await until(() => stateOf('accounts').state === 'stopped');
    expect(await balance('a')).toBe(1);
  });

  describe('a checkpoint that is not of this log', () => {
    const spoiled = async (change: (position: string) => JsonObject) => {
      start([names]);
      await seen(await append('a', ['named.v1', { name: 'Ada' }]));
      await stop();
      const collection = collectionOf(names);
      const checkpoint = (await store.checkpoint(collection))!;
      await store.write(collection, {
        writes: [{ id: 'ghost', position: '1', document: { name: 'of another log' } }],
        checkpoint: { ...checkpoint, ...change(checkpoint.position) },
      });
      const states = new Set<string>();
      start([names], {
        onAdvance: (advances) => {
          for (const advance of advances) advanced.set(advance.projection, advance);
          states.add(stateOf('names').state);
          onAdvanced();
        },
      });
      await seen((await log.head()).position!);
      expect(await store.get('names', 'ghost')).toBeNull();
      expect(await store.get('names', 'a')).toEqual({ name: 'Ada' });
    };

    test('by its log id drops the documents and builds them again', () => spoiled(() => ({ logId: 'another' })));
    test('by a position past the head drops the documents and builds them again', () =>
      spoiled((position) => ({ position: position.replace(/^0/, '9') })));
    test('by its event drops the documents and builds them again', () => spoiled(() => ({ eventId: 'another' })));
  });

  test('an unreachable read store is seen in the status, and it goes on by itself when that is back', async () => {
    let away = true;
    const flaky = Object.assign(Object.create(store) as SqliteReadStore, {
      write: (...args: Parameters<SqliteReadStore['write']>) =>
        away ? Promise.reject(new Error('the disk is full')) : store.write(...args),
    });
    start([accounts], { readStore: flaky });
    const position = await append('a', ['opened.v1'], ['paid.v1', { amount: 2 }]);
    await until(() => stateOf('accounts').state === 'disconnected');
    expect(stateOf('accounts').error).toBe('the disk is full');
    away = false;
    await seen(position);
    expect(await balance('a')).toBe(2);
    expect(stateOf('accounts')).toMatchObject({ state: 'live', error: null });
  });

  test('what is far behind is built aside first', async () => {
    const events = Array.from({ length: 500 }, (): readonly [string, JsonObject] => ['paid.v1', { amount: 1 }]);
    await append('a', ['opened.v1']);
    for (let block = 0; block < 41; block += 1) await append('a', ...events);
    const built: string[] = [];
    start([accounts, names], {
      async buildAside(projection, generation, signal) {
        built.push(projection.name);
        const { ProjectionRunner } = await import('./runner.js');
        const runner = new ProjectionRunner(projection, { eventStore: log, readStore: store }, generation);
        await runner.open();
        await runner.catchUp(signal, 2_000);
        await runner.flush();
      },
    });
    await seen((await log.head()).position!);
    expect(built.sort()).toEqual(['accounts', 'names']);
    expect(await balance('a')).toBe(20_500);
  });

  test('a projection that falls behind holds up no other one, and catches up without gap or double', async () => {
    const gate = Promise.withResolvers<void>();
    let writing = () => {};
    const begun = new Promise<void>((resolve) => (writing = resolve));
    const slow = Object.assign(Object.create(store) as SqliteReadStore, {
      async write(...args: Parameters<SqliteReadStore['write']>) {
        if (args[0].name === 'accounts' && args[1].writes.length > 0) {
          writing();
          await gate.promise;
        }
        await store.write(...args);
      },
    });
    start([accounts, names], { readStore: slow });
    await append('a', ['opened.v1']);
    await begun;
    for (let block = 0; block < 10; block += 1)
      await append('a', ...Array.from({ length: 500 }, () => ['paid.v1', { amount: 1 }] as const));
    const position = await append('a', ['named.v1', { name: 'Ada' }]);
    await seen(position, ['names']);
    expect(await store.get('names', 'a')).toEqual({ name: 'Ada' });
    expect(stateOf('accounts').lagEvents).toBeGreaterThan(0);
    gate.resolve();
    await seen(position);
    expect(await balance('a')).toBe(5_000);
  });

  test('catching up while events come in gives each once', async () => {
    await append('a', ['opened.v1']);
    for (let block = 0; block < 5; block += 1)
      await append('a', ...Array.from({ length: 500 }, () => ['paid.v1', { amount: 1 }] as const));
    start([accounts, names]);
    let position = '';
    for (let single = 0; single < 300; single += 1) position = await append('a', ['paid.v1', { amount: 1 }]);
    await seen(position);
    expect(await balance('a')).toBe(2_800);
  });

  test('more parked keys than can be right stop the projection', async () => {
    start([accounts]);
    const poison = Array.from({ length: 1_001 }, (_, n) => ['paid.v1', { account: `p${n}`, poison: true }] as const);
    for (let at = 0; at < poison.length; at += 500) await append('a', ...poison.slice(at, at + 500));
    await until(() => stateOf('accounts').state === 'stopped');
    expect(stateOf('accounts').error).toMatch(/parked more than 1000 keys/);
  });

  test('an unknown projection is named in the error', async () => {
    start();
    await expect(host!.rebuild('nothing')).rejects.toThrow(
      'there is no projection "nothing"; there are accounts, names',
    );
    await expect(host!.retry('nothing')).rejects.toThrow(RangeError);
  });

  test('a rebuild leaves the live documents in place, and current, until it is done', async () => {
    start([accounts]);
    await seen(await append('a', ['opened.v1'], ['paid.v1', { amount: 1 }]));
    await stop();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const second = collectionOf(accounts, 1).version;
    const slow = Object.assign(Object.create(store) as SqliteReadStore, {
      async write(...args: Parameters<SqliteReadStore['write']>) {
        if (args[0].version === second) {
          begun.resolve();
          await gate.promise;
        }
        await store.write(...args);
      },
    });
    start([accounts], { readStore: slow });
    await seen((await log.head()).position!);
    await host!.rebuild('accounts');
    await begun.promise;
    expect(stateOf('accounts').state).toBe('rebuilding');
    await seen(await append('a', ['paid.v1', { amount: 10 }]));
    expect(await balance('a')).toBe(11);
    gate.resolve();
    await until(() => stateOf('accounts').state === 'live');
    expect((await store.activeVersions()).get('accounts')).toBe(second);
    expect(await store.versions('accounts')).toEqual([second]);
    await seen(await append('a', ['paid.v1', { amount: 100 }]));
    expect(await balance('a')).toBe(111);
    await stop();
    start([accounts]);
    await seen((await log.head()).position!);
    expect(await balance('a')).toBe(111);
    expect((await store.activeVersions()).get('accounts')).toBe(second);
  });
});
