import type { ObjectStore } from '#ports/object-store/port.js';
import { readPredictions } from './predictions.js';

const lines = Array.from({ length: 50 }, (_, n) => ({ n, text: 'x'.repeat(60_000) }));
const content = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
/** Delivers pieces that end within lines. */
const store = {
  async get() {
    return (async function* () {
      for (let at = 0; at < content.length; at += 50_000) yield content.subarray(at, at + 50_000);
    })();
  },
} as unknown as ObjectStore;

describe('pages of predictions', () => {
  it('end early where they are large, and go on behind', async () => {
    const read: unknown[] = [];
    for (;;) {
      const page = await readPredictions(store, 'key', read.length, 1_000);
      if (page.length === 0) break;
      expect(JSON.stringify(page).length).toBeLessThan(1.2 * 1024 * 1024);
      read.push(...page);
    }
    expect(read).toEqual(lines);
  });

  it('hold as many as are asked for', async () => {
    expect(await readPredictions(store, 'key', 3, 2)).toEqual(lines.slice(3, 5));
    expect(await readPredictions(store, 'key', 49, 5)).toEqual(lines.slice(49));
    expect(await readPredictions(store, 'key', 0, 0)).toEqual([]);
  });
});
