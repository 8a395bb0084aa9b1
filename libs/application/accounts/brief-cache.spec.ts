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

  it('counts from when the check was sent, not from its answer', async () => {
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

  it('many who ask at once share a check', async () => {
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

  it('an answer that was under way when it was dropped is not kept', async () => {
    const old = cache.load('k');
    cache.drop('k');
    const fresh = cache.load('k');
    answers[1]?.('revoked');
    await fresh;
    answers[0]?.('good');
    await old;
    expect(cache.fresh('k')).toBe('revoked');
  });

  it('a check that fails is not kept', async () => {
    const failing = new BriefCache<string>(() => Promise.reject(new Error('down')), 1_000);
    await expect(failing.load('k')).rejects.toThrow('down');
    await expect(failing.load('k')).rejects.toThrow('down');
    expect(failing.fresh('k')).toBeUndefined();
  });

  it('holds no more than its bound, and lets go of the oldest', async () => {
    for (const key of ['a', 'b', 'c', 'd']) {
      const loaded = cache.load(key);
      answers.at(-1)?.(key);
      await loaded;
    }
    expect(['a', 'b', 'c', 'd'].map((key) => cache.fresh(key))).toEqual([undefined, 'b', 'c', 'd']);
  });
});
