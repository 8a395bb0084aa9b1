import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectStore } from '#ports/object-store/port.js';
import { processed } from '../reading.fixture.js';
import { ParquetExport } from './parquet-export.js';

const row = (number: number) => ({ text: `row ${number}`, label: 'x' });
const never = new AbortController().signal;

describe('the Parquet export', () => {
  const open = (rows: AsyncIterable<Uint8Array>, signal = never) =>
    exports.open({ get: async () => rows } as unknown as ObjectStore, 'rows', ['text', 'label'], 'w1', signal);
  async function* rows(count: number) {
    for (let number = 0; number < count; number += 1) yield Buffer.from(`${JSON.stringify(row(number))}\n`);
  }
  let exports: ParquetExport;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'exports-'));
    exports = new ParquetExport(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));
  const left = async () => (await readdir(folder)).filter((name) => name.startsWith('anneal-confined-'));

  it('makes a file of known size, and leaves nothing behind after reading', async () => {
    const { content, size } = await open(rows(3000));
    const file = Buffer.concat(await content.toArray());
    expect(file.length).toBe(size);
    expect((await processed(file)).rows).toEqual(Array.from({ length: 3000 }, (_, number) => row(number)));
    await vanished(left);
  });

  it('leaves nothing behind when its reader leaves midway', async () => {
    const { content } = await open(rows(10));
    content.destroy();
    await once(content, 'close');
    await vanished(left);
  });

  it('ends when no client waits for it, also while it is queued', async () => {
    const leaving = new AbortController();
    const waiting = Promise.withResolvers<void>();
    async function* stuck() {
      yield Buffer.from(`${JSON.stringify(row(1))}\n`);
      waiting.resolve();
      await new Promise(() => undefined);
    }
    const attempts = [1, 2, 3].map(() => open(stuck(), leaving.signal));
    const ends = attempts.map((attempt) => expect(attempt).rejects.toThrow());
    await waiting.promise;
    leaving.abort();
    await Promise.all(ends);
    await vanished(left);
  });

  it('fails on truncated rows', async () => {
    async function* broken() {
      yield* rows(5);
      throw new Error('the store is gone');
    }
    await expect(open(broken())).rejects.toThrow('the store is gone');
    await vanished(left);
  });
});

/** Removal continues after its last event. */
async function vanished(left: () => Promise<readonly string[]>): Promise<void> {
  for (let times = 0; times < 500 && (await left()).length > 0; times += 1) await new Promise(setImmediate);
  expect(await left()).toEqual([]);
}
