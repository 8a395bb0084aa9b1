import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ShortLived } from './short-lived.js';

/** Prints how many bytes of old generation 20,000 calls leave, of which 32 are in flight at once and each is kept in a set meanwhile. */
const script = (kept: string) => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { ShortLived } from '${import.meta.resolve('./short-lived.js')}';
  const oldBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size;
  const set = new Set();
  const places = new ShortLived();
  const keep = { set: (call) => (set.add(call), () => set.delete(call)), places: (call) => { const at = places.add(call); return () => places.take(at); } };
  const call = async () => {
    const end = keep.${kept}(Array.from({ length: 400 }, (_, index) => ({ index })));
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
    end();
  };
  const calls = async (left) => {
    const caller = async () => { while (left-- > 0) await call(); };
    await Promise.all(Array.from({ length: 32 }, caller));
  };
  await calls(2_000);
  gc();
  const before = oldBytes();
  await calls(20_000);
  console.log(oldBytes() - before);
`;

describe('a set of short-lived objects', () => {
  it('gives back each object once, and its place to the next', () => {
    const all = new ShortLived<string>();
    const [first, second] = [all.add('first'), all.add('second')];
    expect(all.take(first)).toBe('first');
    expect(all.take(first)).toBeUndefined();
    expect([...all]).toEqual(['second']);
    expect(all.add('third')).toBe(first);
    expect(all.size).toBe(2);
    expect(all.take(second)).toBe('second');
    expect(all.clear()).toEqual(['third']);
    expect(all.size).toBe(0);
  });

  it('leaves a tenth of the garbage in the old generation that a Set leaves', async () => {
    const flags = [
      '--expose-gc',
      '--max-semi-space-size=4',
      '--no-allocation-site-pretenuring',
      '--input-type=module',
      '-e',
    ];
    const bytes = async (kept: string) =>
      Number((await promisify(execFile)(process.execPath, [...flags, script(kept)])).stdout);
    expect(await bytes('places')).toBeLessThan((await bytes('set')) / 10);
  });
});
