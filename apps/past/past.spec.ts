import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveOperations } from '#apps/operator/socket.js';
import { readOperations } from '#apps/operator/reads.js';
import { lastEventBy } from '#application/as-of.js';
import { Settings } from '#settings/index.js';
import { startTestApi, type Answer, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { eventually } from '#test/support/eventually.js';
import { TrainingClient } from '#test/support/training-client.js';
import { servePast, type ServedPast } from './serve-past.js';

const CANARY = 'Quillonbarrow';
const ROWS = `${JSON.stringify({ text: 'Order 1 is late.', label: 'delivery' })}\n`.repeat(4);

describe('a system as it was', () => {
  let api: TestApi;
  let operator: { close(): Promise<void> };
  let past: ServedPast;
  let position: string;
  let keys: { readonly revoked: string; readonly made: string };
  let calls: { readonly erased: string; readonly erasedLater: string; readonly late: string };
  let job: string;

  const then = async (method: string, path: string, headers: Record<string, string> = { 'x-api-key': api.key }) => {
    const response = await fetch(past.url + path, { method, headers, redirect: 'manual' });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text } as Answer;
  };
  const created = async (path: string, body: object): Promise<Answer['body']> => {
    const answer = await api.call('POST', path, body);
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  const recorded = async (text: string): Promise<string> =>
    (await created('/inference', { model_id: 'anneal/encoder-base-v1', text, schema: ['person'] })).inference_id;
  const inSession = async (method: string, path: string, body: object): Promise<Answer['body']> =>
    (await api.call(method, path, body, { authorization: `Bearer ${api.session}` })).body;

  beforeAll(async () => {
    api = await startTestApi({ callContents: 'encrypted' }, { engines: QUICK_ENGINES });
    operator = await serveOperations(api.settings.dataDir, readOperations(api.application));
    await created('/projects', { name: 'early' });
    await uploadDataset(api, { dataset_name: 'tickets' }, ROWS);
    const revoked = await inSession('POST', '/create-api-key', { name: 'old' });
    job = (
      await created('/felix/training-jobs', {
        ...{ model_name: 'routing', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'tickets' }] },
      })
    ).id;
    // The evaluation claims the dataset until it ends.
    await new TrainingClient(api).automaticEvaluation(job);
    const erased = await recorded(`Ada ${CANARY} flew to Rome.`);
    const erasedLater = await recorded(`Alan ${CANARY} flew to Oslo.`);
    await api.drained();
    position = (await api.application.ports.eventStore.head()).position!;
    await created('/projects', { name: 'late' });
    const late = await recorded('Grace Hopper flew to Lima.');
    const made = await inSession('POST', '/create-api-key', { name: 'new' });
    await inSession('DELETE', '/delete-api-key', { key_id: revoked.id });
    await api.call('DELETE', `/felix/training-jobs/${job}`);
    await api.call('DELETE', '/felix/datasets/tickets/1?erase=true');
    expect((await api.call('DELETE', `/inferences/${erased}`)).status).toBe(200);
    await api.drained();
    calls = { erased, erasedLater, late };
    keys = { revoked: revoked.secret_key, made: made.secret_key };
    past = await servePast(new Settings({ ...api.settings, port: 0 }), { at: position });
  });
  afterAll(async () => {
    await past.close();
    await operator.close();
    await api.close();
  });

  it('lists projects, datasets, jobs, keys and calls as they were', async () => {
    const names = async (ask: typeof then, path: string, list: string) =>
      (await ask('GET', path)).body[list].map(({ id, name }: { id: string; name?: string }) => name ?? id).toSorted();
    const now: typeof then = (method, path) => api.call(method, path);
    for (const [path, list, before, after] of [
      ['/projects', 'projects', ['early'], ['early', 'late']],
      ['/felix/datasets', 'datasets', ['tickets'], []],
      ['/felix/training-jobs', 'training_jobs', [job], []],
      ['/list-api-keys', 'keys', ['bootstrap', 'old'], ['bootstrap', 'new']],
    ] as const) {
      expect(await names(then, path, list)).toEqual(before);
      expect(await names(now, path, list)).toEqual(after);
    }
    const history = async (ask: typeof then) => (await ask('GET', '/inferences')).body.total;
    expect([await history(then), await history(now)]).toEqual([2, 3]);
    expect((await then('GET', `/inferences/${calls.late}`)).status).toBe(404);
    expect((await then('GET', '/events/log?type=project-created.v1')).body.events).toHaveLength(1);
  });

  it("accepts today's keys and sessions", async () => {
    const statusOf = async (headers: Record<string, string>) => (await then('GET', '/projects', headers)).status;
    expect(await statusOf({ 'x-api-key': keys.made })).toBe(200);
    expect(await statusOf({ 'x-api-key': keys.revoked })).toBe(401);
    expect(await statusOf({ cookie: `anneal_session=${api.session}` })).toBe(200);
    expect(await statusOf({})).toBe(401);
  });

  it('gives its point in time in a header of each answer', async () => {
    for (const path of ['/projects', '/projects/none', '/console/', '/health', '/none']) {
      const { headers } = await then('GET', path);
      expect([path, headers.get('x-anneal-as-of')]).toEqual([path, position]);
      expect(headers.get('x-anneal-as-of-time')).toBe(past.time);
    }
    const { headers } = await then('GET', '/projects', {});
    expect(headers.get('x-anneal-as-of')).toBe(position);
  });

  it('refuses every route that changes something, by name', async () => {
    const { body } = await then('GET', '/openapi.json');
    const routes = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x')] as const),
    );
    const changing = routes.filter(([method]) => method !== 'GET');
    expect(changing.length).toBeGreaterThan(50);
    const asked = await Promise.all(
      changing.map(async ([method, path]) => {
        const { status } = await then(method, path, { authorization: `Bearer ${api.session}` });
        return status === 405 ? [] : [`${method} ${path} ${status}`];
      }),
    );
    expect(asked.flat()).toEqual([]);
    const refused = await then('POST', '/projects');
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
    expect(refused.body.detail).toBe(
      `this is the system as it was at ${past.time}, and nothing is changed here: send POST to the running system`,
    );
    expect((await then('GET', '/sign-in?token=x', {})).status).toBe(405);
    expect((await then('POST', '/none')).status).toBe(404);
  });

  it('restores nothing that was erased since, and says so', async () => {
    const { body } = await then('GET', `/inferences/${calls.erased}`);
    expect(body).toMatchObject({ input: null, output: null, erased_at: expect.any(String), cost: expect.any(Number) });
    const { status, body: rows } = await then('GET', '/felix/datasets/tickets/1/preview');
    expect([status, rows.detail]).toEqual([
      409,
      `these rows were deleted after ${past.time}; the view as of then reads only files that are still stored`,
    ]);
  });

  it('applies erasures while it runs', async () => {
    expect((await then('GET', `/inferences?text=${CANARY}`)).body.total).toBe(1);
    expect((await api.call('DELETE', `/inferences/${calls.erasedLater}`)).status).toBe(200);
    await eventually(
      async () => (await then('GET', `/inferences/${calls.erasedLater}`)).body,
      ({ erased_at: erasedAt, input }) => erasedAt !== undefined && input === null,
    );
    expect((await then('GET', `/inferences?text=${CANARY}`)).body.total).toBe(0);
  });

  it('lets the running system record who reads contents here', async () => {
    expect((await then('GET', `/inferences/${calls.erased}`)).status).toBe(200);
    await eventually(
      async () => (await api.call('GET', `/audit/reads?resource=call/${calls.erased}`)).body.reads,
      (reads: readonly object[]) => reads.length > 0,
    );
    expect((await then('GET', '/audit/reads')).body.reads).toEqual([]);
  });

  describe('is refused', () => {
    const serve = (at: string, given: Partial<Settings> = {}) =>
      servePast(new Settings({ ...api.settings, port: 0, ...given }), { at });

    it.each([
      ['1999-01-01T00:00:00Z', "must not be before the log's first event"],
      ['2999-01-01T00:00:00Z', 'must not be in the future'],
      ['2999-01-01', 'must not be in the future'],
      ['yesterday', 'must be a time such as 2030-01-02T03:04:05Z, or a position'],
    ])('at %s, which is no point of the log', async (at, why) => {
      await expect(serve(at)).rejects.toThrow(why);
    });

    it('at a position that the log does not have', async () => {
      const beyond = '9'.repeat(position.length);
      await expect(serve(beyond)).rejects.toThrow("must not be beyond the log's last event");
      await expect(serve('12')).rejects.toThrow(`must be a position of the log, of ${position.length} digits`);
    });

    it('with another secret than the one of the log', async () => {
      const refused = serve(position, { secretKey: 'another-secret-'.repeat(4) });
      await expect(refused).rejects.toThrow('ANNEAL_SECRET_KEY is not the secret that this event log was made with');
    });

    it('without the keys of contents, and makes none', async () => {
      const elsewhere = await mkdtemp(join(tmpdir(), 'anneal-no-keys-'));
      await expect(serve(position, { contentKeys: { adapter: 'sqlite', directory: elsewhere } })).rejects.toThrow(
        elsewhere,
      );
      expect(await readdir(elsewhere)).toEqual([]);
      await rm(elsewhere, { recursive: true });
    });

    it('without the secret', async () => {
      const secret = join(api.settings.dataDir, 'secret.key');
      await rename(secret, `${secret}.away`);
      try {
        await expect(serve(position)).rejects.toThrow('secret.key is missing');
      } finally {
        await rename(`${secret}.away`, secret);
      }
    });
  });

  it('leaves nothing behind when its build is interrupted', async () => {
    const before = process.env['TMPDIR'];
    const temporary = await mkdtemp(join(tmpdir(), 'anneal-interrupted-'));
    process.env['TMPDIR'] = temporary;
    try {
      const signal = AbortSignal.abort();
      const settings = new Settings({ ...api.settings, port: 0 });
      await expect(servePast(settings, { at: position, signal })).rejects.toThrow('aborted');
      expect(await readdir(temporary)).toEqual([]);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
      await rm(temporary, { recursive: true });
    }
  });

  it('is as of the last event at or before its time', async () => {
    const { eventStore } = api.application.ports;
    const all = await Array.fromAsync(eventStore.readAll());
    const [first, last] = [all[0]!, all.at(-1)!];
    expect(await lastEventBy(eventStore, { time: last.metadata.occurredAt })).toMatchObject({
      position: last.position,
    });
    const atFirst = all.findLast(({ metadata }) => metadata.occurredAt <= first.metadata.occurredAt)!;
    const time = first.metadata.occurredAt;
    expect(await lastEventBy(eventStore, { time })).toEqual({
      position: atFirst.position,
      time: atFirst.metadata.occurredAt,
    });
    expect(await lastEventBy(eventStore, { position: first.position })).toMatchObject({ position: first.position });
  });
});

describe('a call that was deleted since, and that the log stores unencrypted', () => {
  it('is shown without its content', async () => {
    const api = await startTestApi({ callContents: 'plain' });
    const input = [{ role: 'user', content: `Ada ${CANARY} flew to Rome.` }];
    const model = 'anneal/encoder-base-v1';
    const { body } = await api.call('POST', '/v1/responses', { model, schema: ['person'], input });
    const { position } = await api.application.ports.eventStore.head();
    expect((await api.call('DELETE', `/v1/responses/${body.id}`)).status).toBe(200);
    const past = await servePast(new Settings({ ...api.settings, port: 0 }), { at: position! });
    const text = async (path: string) => (await fetch(past.url + path, { headers: { 'x-api-key': api.key } })).text();
    const listed = JSON.parse(await text('/inferences')) as { total: number };
    expect(listed.total).toBe(1);
    for (const path of ['/inferences', `/inferences?text=${CANARY}`, '/events/log', `/v1/responses/${body.id}`])
      expect([path, await text(path)]).toEqual([path, expect.not.stringContaining(CANARY)]);
    await past.close();
    await api.close();
  });
});
