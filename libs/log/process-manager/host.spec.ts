import { jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectedAfter, type EventToAppend } from '#ports/event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { Pace } from '#primitives/waiting/pace.js';
import { eventually } from '#test/support/eventually.js';
import { ProcessManagerHost } from './host.js';
import type { ProcessManager } from './process-manager.js';

/** Orders that were placed and not yet shipped. */
type Open = ReadonlyMap<string, number>;
type OrderEvent =
  | { readonly type: 'placed.v1'; readonly data: { readonly order: string } }
  | { readonly type: 'shipped.v1'; readonly data: { readonly order: string } };
interface Ship {
  readonly order: string;
}

describe('process-manager host', () => {
  let directory: string;
  let log: SqliteEventStore;
  let host: ProcessManagerHost | null;
  let now: number;
  let tick: () => void;
  let revision: number;
  let executed: string[];
  let execute: (order: string, signal: AbortSignal) => Promise<void>;
  let onExecute: () => void;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'process-managers-'));
    log = await openSqliteEventStore({ directory, durability: 'normal' });
    host = null;
    now = 1_000_000;
    revision = -1;
    executed = [];
    execute = (order) => append('shipped.v1', order);
    onExecute = () => undefined;
  });
  afterEach(async () => {
    await host?.close();
    await log.close();
    await rm(directory, { recursive: true });
  });

  let serial = 0;
  const append = async (type: string, order: string): Promise<void> => {
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
    const event: EventToAppend = { id, type, data: { order }, metadata };
    revision += 1;
    await log.append('shop-1', expectedAfter(revision - 1), [event]);
  };

  const shipping = (): ProcessManager<Open, Ship, OrderEvent> => ({
    name: 'shipping',
    initial: new Map(),
    on: {
      'placed.v1': (open, { data, metadata }) => new Map(open).set(data.order, Date.parse(metadata.occurredAt)),
      'shipped.v1'(open, { data }) {
        const rest = new Map(open);
        rest.delete(data.order);
        return rest;
      },
    },
    pending: (open) => [...open.keys()].map((order) => ({ order })),
    key: ({ order }) => order,
    async execute({ order }, signal) {
      executed.push(order);
      onExecute();
      await execute(order, signal);
    },
  });

  const start = (manager: ProcessManager<Open, Ship, OrderEvent> = shipping()) => {
    const timer = (call: () => void) => {
      tick = call;
      return () => undefined;
    };
    host = new ProcessManagerHost({ eventStore: log, managers: [manager], now: () => now, timer }).start();
    return host;
  };
  const status = () => host!.status()[0]!;

  it('does not repeat past commands: a replay sends nothing', async () => {
    await append('placed.v1', 'a');
    await append('shipped.v1', 'a');
    await append('placed.v1', 'b');
    start();
    await eventually(() => status().state === 'live' && status().pending === 0 && executed.length > 0);
    expect(executed).toEqual(['b']);
  });

  it('begins behind the place that it is given, and asks again for it until it is told', async () => {
    await append('placed.v1', 'a');
    const { position } = (await Array.fromAsync(log.readAll())).at(-1)!;
    await append('placed.v1', 'b');
    const places = [Promise.reject(new Error('coordination is down')), Promise.resolve(position)];
    host = new ProcessManagerHost({
      ...{ eventStore: log, managers: [shipping()], now: () => now },
      after: () => places.shift()!,
    }).start();
    await eventually(() => executed.length > 0 && status().pending === 0);
    expect(executed).toEqual(['b']);
  });

  it('says up to where nothing is pending, of managers that know it', async () => {
    const base = shipping();
    await append('placed.v1', 'a');
    const { position, id } = (await Array.fromAsync(log.readAll())).at(-1)!;
    const mark = { position, id };
    start({ ...base, settled: (open) => (open.size === 0 ? mark : null) });
    expect(host!.settled()).toEqual(new Map([['shipping', mark]]));
    execute = async () => undefined;
    await eventually(() => executed.length > 0);
    expect(host!.settled()).toEqual(new Map());
  });

  it('reads history at full speed, and live events at a limited pace', async () => {
    const paces = jest.spyOn(Pace.prototype, 'step');
    await append('placed.v1', 'a');
    const base = shipping();
    const pacesBefore: number[] = [];
    start({
      ...base,
      pending(open, at) {
        pacesBefore.push(paces.mock.calls.length);
        return base.pending(open, at);
      },
    });
    await eventually(() => executed.length === 1 && status().pending === 0);
    expect(pacesBefore[0]).toBe(0);
    await eventually(() => paces.mock.calls.length > 0);
    paces.mockRestore();
  });

  it("runs the command of a live event, and forgets it once the result's event is seen", async () => {
    start();
    await eventually(() => status().state === 'live');
    await append('placed.v1', 'a');
    await eventually(() => executed.length === 1);
    await eventually(() => status().pending === 0 && status().running === 0);
    tick();
    expect(executed).toEqual(['a']);
    expect(status()).toMatchObject({ name: 'shipping', state: 'live', running: 0, failing: [], error: null });
  });

  it('runs each key once at a time, however often it is pending', async () => {
    const finish = Promise.withResolvers<void>();
    execute = async (order) => {
      await finish.promise;
      await append('shipped.v1', order);
    };
    await append('placed.v1', 'a');
    start();
    await eventually(() => executed.length === 1);
    for (let times = 0; times < 3; times += 1) tick();
    expect(status()).toMatchObject({ pending: 1, running: 1 });
    finish.resolve();
    await eventually(() => status().pending === 0);
    expect(executed).toEqual(['a']);
  });

  it('retries a failed command after a growing pause, and reports it until then', async () => {
    execute = () => Promise.reject(new Error('no carrier'));
    await append('placed.v1', 'a');
    start();
    await eventually(() => status().failing.length === 1);
    expect(status().failing).toEqual([{ key: 'a', failures: 1, error: 'no carrier', nextTryInMs: 500 }]);
    now += 499;
    tick();
    expect(executed).toHaveLength(1);
    now += 1;
    tick();
    await eventually(() => status().failing[0]?.failures === 2);
    expect(status().failing[0]).toMatchObject({ nextTryInMs: 1000 });
    execute = (order) => append('shipped.v1', order);
    now += 1000;
    tick();
    await eventually(() => status().pending === 0);
    expect(executed).toHaveLength(3);
    expect(status().failing).toEqual([]);
  });

  it('limits the pause to a minute', async () => {
    execute = () => Promise.reject(new Error('no carrier'));
    await append('placed.v1', 'a');
    start();
    for (let failures = 1; failures <= 10; failures += 1) {
      await eventually(() => status().failing[0]?.failures === failures);
      now += 60_000;
      tick();
    }
    await eventually(() => status().failing[0]?.failures === 11);
    expect(status().failing[0]).toMatchObject({ nextTryInMs: 60_000 });
  });

  it('repeats a command whose event was not seen later, not at once', async () => {
    execute = async () => undefined;
    await append('placed.v1', 'a');
    start();
    await eventually(() => executed.length === 1 && status().running === 0);
    tick();
    expect(executed).toHaveLength(1);
    now += 10_000;
    tick();
    expect(executed).toHaveLength(2);
  });

  it('may find a command due by time alone', async () => {
    await append('placed.v1', 'a');
    const due = now + 5_000;
    const base = shipping();
    start({ ...base, pending: (open, at) => (at < due ? [] : base.pending(open, at)) });
    await eventually(() => status().state === 'live');
    tick();
    expect(executed).toEqual([]);
    now = due;
    tick();
    expect(executed).toEqual(['a']);
    await eventually(() => status().pending === 0);
  });

  it('stops visibly at an unknown version of a handled event, before acting on it', async () => {
    await append('placed.v1', 'a');
    await append('shipped.v2', 'a');
    start();
    await eventually(() => status().state === 'stopped');
    tick();
    expect(executed).toEqual([]);
    expect(status().error).toMatch(/shipping handles shipped but not its version 2/);
  });

  it('waits for running commands when it closes, signals them, and starts no more', async () => {
    let told = false;
    let ended = false;
    execute = (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          told = true;
          setImmediate(() => {
            ended = true;
            resolve();
          });
        });
      });
    await append('placed.v1', 'a');
    start();
    await eventually(() => executed.length === 1);
    await host!.close();
    expect([told, ended]).toEqual([true, true]);
    tick();
    expect(executed).toHaveLength(1);
  });
});
