import type { ObjectStore } from '#ports/object-store/port.js';
import { readPredictions } from './predictions.js';

const lines = Array.from({ length: 50 }, (_, n) => ({ n, text: 'x'.repeat(60_000), correct: n % 3 === 0 }));
const content = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
const rows = lines.map((line, index) => ({ row: index + 1, ...line }));
/** Delivers pieces that end within lines. */
const store = {
  async get() {
    return (async function* () {
      for (let at = 0; at < content.length; at += 50_000) yield content.subarray(at, at + 50_000);
    })();
  },
} as unknown as ObjectStore;

const page = (offset: number, limit: number, onlyWrong = false) =>
  readPredictions(store, 'key', { offset, limit, onlyWrong }, new AbortController().signal);

describe('pages of predictions', () => {
  it('end early where they are large, and go on behind', async () => {
    const read: unknown[] = [];
    for (;;) {
      const found = await page(read.length, 1_000);
      if (found.length === 0) break;
      expect(JSON.stringify(found).length).toBeLessThan(1.2 * 1024 * 1024);
      read.push(...found);
    }
    expect(read).toEqual(rows);
  });

  it('hold as many as are asked for', async () => {
    expect(await page(3, 2)).toEqual(rows.slice(3, 5));
    expect(await page(49, 5)).toEqual(rows.slice(49));
    expect(await page(0, 0)).toEqual([]);
  });

  it('hold only rows that are wrong where those are asked for, with their numbers', async () => {
    const wrong = rows.filter(({ correct }) => !correct);
    expect(await page(0, 3, true)).toEqual(wrong.slice(0, 3));
    expect(await page(31, 9, true)).toEqual(wrong.slice(31));
  });

  it('are read no further once nobody waits for them', async () => {
    const gone = new AbortController();
    let read = 0;
    const left = {
      async get() {
        return (async function* () {
          for (;;) {
            // The client leaves while nothing was found yet.
            if ((read += 1) === 2) gone.abort();
            if (read > 10) throw new Error('read on');
            yield Buffer.from('{"correct":true}\n');
          }
        })();
      },
    } as unknown as ObjectStore;
    const reading = readPredictions(left, 'key', { offset: 0, limit: 5, onlyWrong: true }, gone.signal);
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(read).toBe(2);
  });
});
