import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operations } from './operation.js';
import { askRunning, serveOperations } from './socket.js';

describe('operations on a running system', () => {
  let dataDir: string;
  let server: Awaited<ReturnType<typeof serveOperations>>;
  let ended = 0;
  /** Each runs until its caller leaves. */
  const waiting: Operations[string] = async function* (_args, signal) {
    yield 'begun';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ended += 1;
  };
  const names = Array.from({ length: 10 }, (_, index) => `wait-${index}`);

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'operator-'));
    server = await serveOperations(dataDir, {
      ...Object.fromEntries(names.map((name) => [name, waiting])),
      async *echo(args) {
        yield Object.keys(args).length;
      },
    });
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true });
  });

  const all = (name: string, args = {}) =>
    Array.fromAsync(askRunning(dataDir, name, args, new AbortController().signal));

  /** Begins operations of these names. @returns what ends them, resolved once they have */
  async function begun(wanted: readonly string[]): Promise<() => Promise<void>> {
    const leaving = new AbortController();
    const before = ended;
    const runs = wanted.map((name) => askRunning(dataDir, name, {}, leaving.signal)[Symbol.asyncIterator]());
    for (const run of runs) expect(await run.next()).toEqual({ value: 'begun', done: false });
    return async () => {
      leaving.abort();
      await Promise.allSettled(runs.map((run) => run.next()));
      while (ended < before + runs.length) await new Promise((resolve) => setImmediate(resolve));
    };
  }

  it('of one name run four at once; the next is refused by that name, until one has ended', async () => {
    const end = await begun(Array(4).fill('wait-0'));
    await expect(all('wait-0')).rejects.toThrow('wait-0 runs 4 times already; wait until one has ended');
    expect(await all('echo', { a: 1 })).toEqual([1]);
    await end();
    await (
      await begun(['wait-0'])
    )();
  });

  it('of all names run 32 at once', async () => {
    const end = await begun(names.slice(0, 8).flatMap((name) => Array<string>(4).fill(name)));
    await expect(all('echo')).rejects.toThrow('32 operations run already; wait until one has ended');
    await end();
    expect(await all('echo')).toEqual([0]);
  });

  it('refuse arguments of more than 1 MiB without reading them all', async () => {
    await expect(all('echo', { a: 'x'.repeat(1_100_000) })).rejects.toThrow(
      'the arguments must be at most 1 MiB of JSON',
    );
  });

  it('are refused by an unknown name, even one that every JavaScript object has', async () => {
    await expect(all('toString')).rejects.toThrow('the running system does not know this operation');
  });
});
