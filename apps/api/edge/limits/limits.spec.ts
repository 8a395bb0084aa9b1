import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoordinationUnavailableError } from '#ports/coordination/port.js';
import {
  coordinationService,
  openSqliteCoordination,
  type SqliteCoordination,
} from '#ports/coordination/sqlite/index.js';
import { startThread, type Thread } from '#primitives/thread/thread.js';
import { anotherApi } from '#test/support/another-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import type { System } from '#apps/composition/compose.js';
import { greetingOf, type ServedApi } from '../../serve-api.js';
import { FixedWindows } from '#use-cases/limits/fixed-windows.js';
import { RATE_LIMITS, type RateLimit } from '#use-cases/limits/limit-table.js';
import { takeSliding } from '#use-cases/limits/sliding-list.js';

const T0 = 1_900_000_000_000 - (1_900_000_000_000 % 3_600_000);

describe('limits of requests', () => {
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

  it('allow exactly the limit in a window in a single process', async () => {
    const windows = new FixedWindows(coordination, () => clock);
    expect(await allowed(windows, 150)).toBe(100);
    const refused = await windows.take(limit, 'a');
    expect(refused).toEqual({ allowed: false, limit, remaining: 0, resetInMs: 60_000 });
  });

  it('never allow more across several processes, and hardly less', async () => {
    const replicas = [1, 2, 3].map(() => new FixedWindows(coordination, () => clock));
    let total = 0;
    for (let n = 0; n < 60; n += 1) for (const replica of replicas) total += await allowed(replica, 1);
    expect(total).toBeLessThanOrEqual(100);
    expect(total).toBeGreaterThanOrEqual(94);
  });

  it('that are lowered let no more through than themselves', async () => {
    const windows = new FixedWindows(coordination, () => clock);
    const take = (most: RateLimit) => windows.take(most, 'a');
    const high = { ...limit, limit: 5_000 };
    for (let n = 0; n < 3; n += 1) expect((await take(high)).allowed).toBe(true);
    const low = { ...limit, limit: 5 };
    expect(await take(low)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await take(low)).toMatchObject({ allowed: true, remaining: 0 });
    expect((await take(low)).allowed).toBe(false);
    expect((await take(high)).allowed).toBe(true);
  });

  it('are separate for each account, and the next window starts anew', async () => {
    const windows = new FixedWindows(coordination, () => clock);
    expect(await allowed(windows, 101)).toBe(100);
    expect(await allowed(windows, 1, 'b')).toBe(1);
    clock += 60_000;
    expect(await allowed(windows, 1)).toBe(1);
  });

  it('are counted in memory while coordination accepts no writes', async () => {
    const full = Object.assign(Object.create(coordination) as SqliteCoordination, {
      increment: () => Promise.reject(new CoordinationUnavailableError('database or disk is full')),
    });
    expect(await allowed(new FixedWindows(full, () => clock), 150)).toBe(100);
  });

  it('are checked once for calls that arrive together', async () => {
    const windows = new FixedWindows(coordination, () => clock);
    const verdicts = await Promise.all(Array.from({ length: 120 }, async () => windows.take(limit, 'a')));
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(100);
  });

  it('are exact with a sliding list, where refused calls do not count', async () => {
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

  it('give the last place to one of two calls at the same moment', async () => {
    const start = { ...limit, limit: 5 };
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => takeSliding(coordination, start, 'u', T0)));
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(5);
  });

  it('are those of the interface', () => {
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
});

describe('limits of requests to the API', () => {
  let system: TestApi;
  /** Calls of a user of the test's own. */
  let api: Pick<TestApi, 'call'>;
  let own: { readonly key: string; readonly session: string };
  beforeAll(async () => {
    system = await startTestApi();
  });
  afterAll(() => system.close());
  beforeEach(async () => {
    own = await system.colleague();
    api = {
      call: (method, path, body, headers = { 'x-api-key': own.key }) => system.call(method, path, body, headers),
    };
  });

  it('refuse a training start over the limit with 429 before its body is read', async () => {
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
    expect(limitHeaders(refused.headers)).toEqual(['20', '0', expect.any(Number), 'request-rate', 'rate_limited']);
    expect(refused.headers.get('x-should-retry')).toBeNull();

    const headers = { 'x-api-key': own.key, 'anthropic-version': '2023-06-01' };
    const anthropic = await api.call('POST', '/felix/training-jobs', '{', headers);
    expect([anthropic.status, anthropic.body]).toEqual([
      429,
      {
        type: 'error',
        error: { type: 'rate_limit_error', message: expect.stringContaining('20 requests') },
        request_id: anthropic.headers.get('request-id'),
      },
    ]);
    expect(limitHeaders(anthropic.headers)).toEqual(limitHeaders(refused.headers));
    expect((await api.call('GET', '/felix/training-jobs')).status).toBe(200);
  });

  const limitHeaders = (headers: Headers) => [
    headers.get('x-ratelimit-limit'),
    headers.get('x-ratelimit-remaining'),
    // The next second may begin between two requests.
    Math.round(Number(headers.get('x-ratelimit-reset')) / 10),
    headers.get('x-ratelimit-scope'),
    headers.get('x-ratelimit-code'),
  ];

  it("report the remaining calls of the route's limit in every answer", async () => {
    const left = async (method: string, path: string, body?: object) => {
      const { headers } = await api.call(method, path, body);
      const reset = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000;
      expect([path, reset > -1 && reset <= 61]).toEqual([path, true]);
      return [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
    };
    expect(await left('POST', '/felix/training-jobs', {})).toEqual(['20', '19']);
    expect(await left('POST', '/felix/training-jobs', {})).toEqual(['20', '18']);
    expect(await left('POST', '/inference', {})).toEqual(['5000', '4999']);
    expect(await left('POST', '/generate', {})).toEqual(['120', '119']);
    expect(await left('GET', '/projects')).toEqual(['20000', '19999']);
    const signedOut = await api.call('GET', '/projects', undefined, {});
    expect(signedOut.headers.get('x-ratelimit-limit')).toBeNull();
  });

  it('allow fifty new keys in an hour', async () => {
    const make = () => api.call('POST', '/create-api-key', {}, { authorization: `Bearer ${own.session}` });
    let made = 0;
    let answer = await make();
    // Over the turn of an hour there are two windows.
    for (; answer.status === 422 && made < 100; answer = await make()) made += 1;
    expect(made).toBeGreaterThanOrEqual(50);
    const { status, headers, body } = answer;
    expect([status, headers.get('x-ratelimit-limit'), body.detail]).toEqual([
      429,
      '50',
      expect.stringContaining('50 requests in an hour'),
    ]);
    expect(body).toMatchObject({ code: 'rate_limited', scope: 'request-rate' });
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3600);
    expect(limitHeaders(headers)).toEqual(['50', '0', expect.any(Number), 'request-rate', 'rate_limited']);
  });

  it("count training starts by user: twenty pass across all the user's keys, however many come at once", async () => {
    const session = { authorization: `Bearer ${own.session}` };
    const keys = [own.key];
    for (const name of ['second', 'third'])
      keys.push((await api.call('POST', '/create-api-key', { name }, session)).body.secret_key as string);
    const start = (key: string) => api.call('POST', '/felix/training-jobs', {}, { 'x-api-key': key });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => start(keys[n % 3]!)));
    const having = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect([having(422), having(429)]).toEqual([20, 40]);
    expect((await start((await system.colleague()).key)).status).toBe(422);
  });

  it('can be lifted, with a warning at start', async () => {
    const greeting = (rateLimits: boolean) =>
      greetingOf(
        { url: 'u', bootstrapped: { user: { email: 'e' } } } as unknown as ServedApi,
        { settings: { rateLimits } } as unknown as System,
        '',
      ).join();
    expect(greeting(false)).toContain('WARNING: ANNEAL_RATE_LIMITS=off');
    expect(greeting(true)).not.toContain('WARNING');

    const api = await anotherApi(system, { rateLimits: false });
    for (let n = 0; n < 21; n += 1) {
      const { status, headers } = await api.call('POST', '/felix/training-jobs', {});
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([422, null]);
    }
    await api.close();
  });
});
