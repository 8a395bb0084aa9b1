import { AdapterLoading } from './adapter-loading.js';
import type { AdapterReference } from '#gpu-runner/contract/inference.js';

const adapter = (id: string, size: number): AdapterReference => ({
  id,
  folder: { objectPrefix: `jobs/${id}/1/artifact`, files: [{ name: 'w', sha256: 'aa', size }] },
});

describe('loading adapters', () => {
  let now: number;
  let ends: Map<string, PromiseWithResolvers<void>>;
  let told: ((count: number) => void)[];
  let changes: number;
  let loading: AdapterLoading;
  beforeEach(() => {
    now = 0;
    ends = new Map();
    told = [];
    changes = 0;
    loading = open(5);
  });
  const open = (patienceMs: number) =>
    new AdapterLoading({
      patienceMs,
      clock: () => now,
      onChange: () => (changes += 1),
      load: ({ id }, onBytes) => {
        const end = Promise.withResolvers<void>();
        ends.set(id, end);
        told.push(onBytes);
        return end.promise;
      },
    });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('makes calls wait for an adapter that is there soon, and loads it once for all', async () => {
    loading = open(10_000);
    const calls = [loading.wait(adapter('a', 10)), loading.wait(adapter('a', 10))];
    expect(loading.ids()).toEqual(['a']);
    ends.get('a')!.resolve();
    expect(await Promise.all(calls)).toEqual([null, null]);
    expect([told.length, loading.ids(), changes]).toEqual([1, [], 2]);
  });

  it("continues after a call's patience, and computes from the speed when the call should retry", async () => {
    const first = loading.wait(adapter('a', 10_000));
    now = 1_000;
    told[0]!(2_500);
    expect(await first).toBe(3_000);
    now = 2_000;
    told[0]!(2_500);
    expect(await loading.wait(adapter('a', 10_000))).toBe(2_000);
    expect(told).toHaveLength(1);
    ends.get('a')!.resolve();
    await turn();
    expect(loading.ids()).toEqual([]);
  });

  it('is estimated from earlier loads before any byte has arrived', async () => {
    const first = loading.wait(adapter('a', 10_000));
    now = 4_000;
    ends.get('a')!.resolve();
    await first;
    expect(await loading.wait(adapter('b', 20_000))).toBe(8_000);
  });

  it('without an estimate tells a call to retry after as long again', async () => {
    const first = loading.wait(adapter('a', 10_000));
    expect(await first).toBe(1_000);
    now = 6_000;
    expect(await loading.wait(adapter('a', 10_000))).toBe(6_000);
    now = 1e9;
    expect(await loading.wait(adapter('a', 10_000))).toBe(120_000);
  });

  it('fails the waiting calls when a load fails, and starts over for the next', async () => {
    loading = open(10_000);
    const call = loading.wait(adapter('a', 10));
    ends.get('a')!.reject(new Error('damaged'));
    await expect(call).rejects.toThrow('damaged');
    void loading.wait(adapter('a', 10));
    expect(told).toHaveLength(2);
    ends.get('a')!.resolve();
  });
});
