import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coordinationService, openSqliteCoordination, type SqliteCoordination } from '#coordination/sqlite/index.js';
import { startThread, type Thread } from '#thread/thread.js';
import { startTestApi } from '#test/support/api.js';
import { FixedWindows } from './fixed-windows.js';
import { RATE_LIMITS } from './limits.js';
import { takeSliding } from './sliding-list.js';

const T0 = 1_900_000_000_000 - (1_900_000_000_000 % 3_600_000);

describe('limits', () => {
  let directory: string;
  let thread: Thread;
  let coordination: SqliteCoordination;
  let clock: number;
  beforeEach(async () => {
    clock = T0;
    directory = await mkdtemp(join(tmpdir(), 'anneal-limits-'));
    thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
    coordination = openSqliteCoordination({ directory, thread, now: () => clock });
  });
  afterEach(async () => {
    await coordination.close();
    await thread.close();
    await rm(directory, { recursive: true });
  });

  const limit = { name: 'test', limit: 100, windowMs: 60_000 };
  const allowed = async (windows: FixedWindows, times: number, account = 'a') => {
    let count = 0;
    for (let n = 0; n < times; n += 1) if ((await windows.take(limit, account)).allowed) count += 1;
    return count;
  };

  test('a window lets exactly its limit through where one process counts', async () => {
    const windows = new FixedWindows(coordination, () => clock);
    expect(await allowed(windows, 150)).toBe(100);
    const refused = await windows.take(limit, 'a');
    expect(refused).toEqual({ allowed: false, limit, remaining: 0, resetInMs: 60_000 });
  });

  test('several processes together never let more through, and hardly less', async () => {
    const replicas = [1, 2, 3].map(() => new FixedWindows(coordination, () => clock));
    let total = 0;
    for (let n = 0; n < 60; n += 1) for (const replica of replicas) total += await allowed(replica, 1);
    expect(total).toBeLessThanOrEqual(100);
    expect(total).toBeGreaterThanOrEqual(94);
  });

  test('accounts do not share a window, and the next window begins anew', async () => {
    const windows = new FixedWindows(coordination, () => clock);
    expect(await allowed(windows, 101)).toBe(100);
    expect(await allowed(windows, 1, 'b')).toBe(1);
    clock += 60_000;
    expect(await allowed(windows, 1)).toBe(1);
  });

  test('calls that come at once share one question to coordination', async () => {
    const windows = new FixedWindows(coordination, () => clock);
    const verdicts = await Promise.all(Array.from({ length: 120 }, async () => windows.take(limit, 'a')));
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(100);
  });

  test('the sliding list is exact, and what was refused does not count', async () => {
    const start = { ...limit, limit: 20 };
    const take = (at: number) => takeSliding(coordination, start, 'u', T0 + at);
    for (let n = 0; n < 20; n += 1) {
      clock = T0 + n * 1_000;
      expect((await take(n * 1_000)).allowed).toBe(true);
    }
    clock = T0 + 59_999;
    expect(await take(59_999)).toEqual({ allowed: false, limit: start, remaining: 0, resetInMs: 1 });
    clock = T0 + 60_000;
    expect((await take(60_000)).allowed).toBe(true);
    expect(await take(60_000)).toEqual({ allowed: false, limit: start, remaining: 0, resetInMs: 1_000 });
  });

  test('two at the same moment cannot both have the last place', async () => {
    const start = { ...limit, limit: 5 };
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => takeSliding(coordination, start, 'u', T0)));
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(5);
  });

  test('are those of the interface', () => {
    const perMinute = Object.values(RATE_LIMITS).map(({ name, limit: most, windowMs }) => [name, most, windowMs]);
    expect(perMinute).toEqual([
      ['inference', 5_000, 60_000],
      ['gliner-2', 15_000, 60_000],
      ['generate', 120, 60_000],
      ['training-start', 20, 60_000],
      ['create-api-key', 50, 3_600_000],
      ['default', 20_000, 60_000],
    ]);
  });

  test('a training start over the limit is 429 before its body is looked at', async () => {
    const api = await startTestApi();
    const start = (body: string) => api.call('POST', '/felix/training-jobs', body);
    for (let n = 0; n < 20; n += 1) expect([400, 422]).toContain((await start(n % 2 ? '{}' : '{')).status);
    const refused = await start('{');
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      detail: expect.stringContaining('20 requests in a minute'),
      code: 'rate_limited',
      scope: 'request-rate',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('20');
    expect((await api.call('GET', '/felix/training-jobs')).status).toBe(200);
    await api.close();
  });

  test('can be lifted', async () => {
    const api = await startTestApi({ rateLimits: false });
    for (let n = 0; n < 21; n += 1) expect((await api.call('POST', '/felix/training-jobs', {})).status).toBe(422);
    await api.close();
  });
});
