import { Readable } from 'node:stream';
import { ObjectNotFoundError, ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import { patient, type AttemptObjects } from './patient-objects.js';

const content = Buffer.from('0123456789');
const away = () => new ObjectStoreUnavailableError('away');

/** Fails as many times as it is told, and breaks off after three bytes as often. */
class Unsteady implements AttemptObjects {
  list = () => Readable.from([]);
  deletePrefix = () => Promise.resolve();
  stored = '';
  constructor(
    public failures: number,
    public breaks = 0,
    private readonly failure: () => Error = away,
  ) {}

  async put(key: string, from: Uint8Array | AsyncIterable<Uint8Array>) {
    const chunks = await Array.fromAsync(from as AsyncIterable<Uint8Array>);
    if (this.failures-- > 0) throw this.failure();
    this.stored = Buffer.concat(chunks).toString();
    return { key, size: this.stored.length, sha256: '' };
  }

  async get(key: string, range = { start: 0 }): Promise<AsyncIterable<Uint8Array>> {
    if (key !== 'key') throw new ObjectNotFoundError(key);
    if (this.failures-- > 0) throw this.failure();
    const breaks = this.breaks-- > 0;
    return (async function* () {
      yield content.subarray(range.start, breaks ? range.start + 3 : undefined);
      if (breaks) throw away();
    })();
  }
}

describe('objects for work that outlasts an outage', () => {
  let outages: number;
  let moves: number;
  let stop: AbortController;
  beforeEach(() => {
    outages = 0;
    moves = 0;
    stop = new AbortController();
  });
  const patience = (totalMs?: number) => ({
    onOutage: () => void (outages += 1),
    onMove: () => void (moves += 1),
    signal: stop.signal,
    ...(totalMs !== undefined && { totalMs }),
  });
  const read = async (store: AttemptObjects, key = 'key') =>
    Buffer.concat(await Array.fromAsync(await store.get(key))).toString();
  const again = { [Symbol.asyncIterator]: () => [content][Symbol.iterator]() as unknown as AsyncIterator<Uint8Array> };

  it('are stored and read once the store is available again; each outage is reported once', async () => {
    const store = new Unsteady(2);
    await patient(store, patience()).put('key', again);
    expect([store.stored, outages]).toEqual(['0123456789', 1]);
    expect(await read(patient(new Unsteady(2), patience()))).toBe('0123456789');
    expect(outages).toBe(2);
  });

  it("are stored once the store's disk has space again", async () => {
    const store = new Unsteady(2, 0, () => Object.assign(new Error('full'), { code: 'ENOSPC' }));
    await patient(store, patience()).put('key', again);
    expect([store.stored, outages]).toEqual(['0123456789', 1]);
  });

  it('continue where they broke off', async () => {
    expect(await read(patient(new Unsteady(0, 3), patience()))).toBe('0123456789');
  });

  it('report each try and each chunk, in both directions', async () => {
    await patient(new Unsteady(2), patience()).put('key', again);
    expect(moves).toBe(6);
    moves = 0;
    await read(patient(new Unsteady(2, 1), patience()));
    expect(moves).toBe(6);
  });

  it('are reported at once if they do not exist', async () => {
    await expect(patient(new Unsteady(0), patience()).get('other')).rejects.toThrow(ObjectNotFoundError);
    expect(outages).toBe(0);
  });

  it('are given up when the work is aborted, and when the outage lasts too long', async () => {
    await expect(patient(new Unsteady(Infinity), patience(0)).get('key')).rejects.toThrow(ObjectStoreUnavailableError);
    const waiting = patient(new Unsteady(Infinity), patience()).get('key');
    stop.abort();
    await expect(waiting).rejects.toThrow(ObjectStoreUnavailableError);
  });
});
