import type { Example } from '#gpu-runner/engines/engine.js';
import { predictionLine } from '#gpu-runner/work/evaluation/predictions.js';
import { storePredictions } from '#gpu-runner/work/evaluation/store-predictions.js';
import { ObjectNotFoundError, type ObjectContent, type ObjectStore } from '#ports/object-store/port.js';
import { readPredictions } from './predictions.js';

/** Objects in memory, which tell how many bytes were read. */
class CountingStore {
  bytesRead = 0;
  private readonly objects = new Map<string, Buffer>();

  async put(key: string, content: ObjectContent): Promise<object> {
    const bytes = Buffer.concat(content instanceof Uint8Array ? [content] : await Array.fromAsync(content));
    this.objects.set(key, bytes);
    return { key, size: bytes.length, sha256: '' };
  }

  async get(key: string, range: { readonly start: number; readonly end?: number } = { start: 0 }) {
    const found = this.objects.get(key);
    if (!found) throw new ObjectNotFoundError(key);
    const bytes = found.subarray(range.start, range.end);
    this.bytesRead += bytes.length;
    return (async function* () {
      yield bytes;
    })();
  }

  sizeOf = (key: string): number => this.objects.get(key)!.length;
}

const linesOf = (examples: readonly Example[], predictions: readonly Example[]) => () =>
  examples.map((example, at) => predictionLine(example, predictions[at] ?? { text: example.text }));

describe('pages of predictions', () => {
  const counting = new CountingStore();
  const objects = counting as unknown as ObjectStore;
  const examples = Array.from({ length: 5_000 }, (_, row) => ({ text: `row ${row}`, labels: ['a'] }));
  /** Every hundredth is wrong. */
  const predictions = examples.map(({ text }, row) => ({ text, labels: [row % 100 === 99 ? 'b' : 'a'] }));
  beforeAll(() => storePredictions(objects, 'e/1', linesOf(examples, predictions)));
  beforeEach(() => {
    counting.bytesRead = 0;
  });
  const indexed = (offset: number, limit: number, onlyWrong = false) =>
    readPredictions(objects, 'e/1/predictions.jsonl', { offset, limit, onlyWrong }, new AbortController().signal);
  const rowsOf = async (found: ReturnType<typeof indexed>) => (await found).map(({ row }) => row);

  it('contain the requested rows, and nothing past the last one', async () => {
    const [last] = await indexed(4_999, 5);
    expect(last).toMatchObject({ row: 5_000, text: 'row 4999', correct: false });
    expect(await rowsOf(indexed(10, 3))).toEqual([11, 12, 13]);
    expect(await indexed(5_000, 5)).toEqual([]);
    expect(await indexed(Number.MAX_SAFE_INTEGER, 5)).toEqual([]);
    expect(await rowsOf(indexed(48, 5, true))).toEqual([4_900, 5_000]);
    expect(await indexed(50, 5, true)).toEqual([]);
  });

  it('read only the page and its part of the index, wherever it begins', async () => {
    expect(await rowsOf(indexed(40, 2, true))).toEqual([4_100, 4_200]);
    expect(counting.bytesRead).toBeLessThan(500);
    expect(counting.sizeOf('e/1/predictions.jsonl')).toBeGreaterThan(300_000);
    counting.bytesRead = 0;
    expect(await rowsOf(indexed(4_000, 2))).toEqual([4_001, 4_002]);
    expect(counting.bytesRead).toBeLessThan(500);
  });

  it('contain no rows of an evaluation without wrong rows', async () => {
    const three = examples.slice(0, 3);
    const { size, totalSize } = await storePredictions(objects, 'right/1', linesOf(three, three));
    // Four places of the index of three lines, and one of the index of none.
    expect(totalSize - size).toBe(4 * 8 + 8);
    const page = { offset: 0, limit: 5, onlyWrong: true };
    expect(await readPredictions(objects, 'right/1/predictions.jsonl', page, new AbortController().signal)).toEqual([]);
  });

  it('are empty once their objects were removed', async () => {
    const page = { offset: 0, limit: 5, onlyWrong: false };
    expect(await readPredictions(objects, 'gone/1/predictions.jsonl', page, new AbortController().signal)).toEqual([]);
  });

  it('end when they exceed the size limit of a page', async () => {
    const long = examples.slice(0, 40).map(({ labels }, row) => ({ text: `${row} ${'x'.repeat(50_000)}`, labels }));
    await storePredictions(objects, 'long/1', linesOf(long, []));
    const read: unknown[] = [];
    for (;;) {
      const page = { offset: read.length, limit: 100, onlyWrong: true };
      const found = await readPredictions(objects, 'long/1/predictions.jsonl', page, new AbortController().signal);
      if (found.length === 0) break;
      expect(JSON.stringify(found).length).toBeLessThan(1.2 * 1024 * 1024);
      read.push(...found.map(({ row }) => row));
    }
    expect(read).toEqual(long.map((_, row) => row + 1));
  });
});
