import { BriefCache } from './brief-cache.js';

describe('a cache of recent checks', () => {
  let clock: number;
  let answers: ((value: string) => void)[];
  let checked: string[];
  let cache: BriefCache<string>;
  beforeEach(() => {
    clock = 0;
    answers = [];
    checked = [];
    const check = (key: string) => {
      checked.push(key);
      return new Promise<string>((resolve) => answers.push(resolve));
    };
    cache = new BriefCache(check, 1_000, 3, () => clock);
  });

  it('counts age from when the check was sent, not from its answer', async () => {
    const loaded = cache.load('k');
    clock = 900;
    answers[0]?.('good');
    expect(await loaded).toBe('good');
    expect(cache.fresh('k')).toBe('good');
    clock = 999;
    expect(cache.fresh('k')).toBe('good');
    clock = 1_000;
    expect(cache.fresh('k')).toBeUndefined();
  });

  it('shares one check among simultaneous callers', async () => {
    const both = [cache.load('k'), cache.load('k')];
    answers[0]?.('good');
    expect(await Promise.all(both)).toEqual(['good', 'good']);
    expect(checked).toEqual(['k']);
  });

  it('neither joins a check sent a second ago nor keeps its late answer', async () => {
    const old = cache.load('k');
    clock = 1_000;
    const fresh = cache.load('k');
    answers[1]?.('revoked');
    answers[0]?.('good');
    expect(await Promise.all([old, fresh])).toEqual(['good', 'revoked']);
    expect(cache.fresh('k')).toBe('revoked');
  });

  it('does not keep an answer whose key was dropped while it was awaited', async () => {
    const old = cache.load('k');
    cache.drop('k');
    const fresh = cache.load('k');
    answers[1]?.('revoked');
    await fresh;
    answers[0]?.('good');
    await old;
    expect(cache.fresh('k')).toBe('revoked');
  });

  it('does not keep a failed check', async () => {
    const failing = new BriefCache<string>(() => Promise.reject(new Error('down')), 1_000);
    await expect(failing.load('k')).rejects.toThrow('down');
    await expect(failing.load('k')).rejects.toThrow('down');
    expect(failing.fresh('k')).toBeUndefined();
  });

  it('holds no more than its limit, and drops the oldest', async () => {
    for (const key of ['a', 'b', 'c', 'd']) {
      const loaded = cache.load(key);
      answers.at(-1)?.(key);
      await loaded;
    }
    expect(['a', 'b', 'c', 'd'].map((key) => cache.fresh(key))).toEqual([undefined, 'b', 'c', 'd']);
  });
});
