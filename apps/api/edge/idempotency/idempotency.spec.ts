import { Executor } from '#log/execute.js';
import { EventStoreUnavailableError, type EventStore } from '#ports/event-store/port.js';
import { startTestApi, type TestApi } from '#test/support/api.js';

describe('Idempotency-Key', () => {
  let api: TestApi;
  let store: EventStore;
  let append: EventStore['append'];
  beforeAll(async () => {
    api = await startTestApi();
    store = api.application.ports.eventStore;
    append = store.append.bind(store);
  });
  afterEach(() => {
    store.append = append;
  });
  afterAll(() => api.close());

  const post = (key: string, body: unknown, headers: Record<string, string> = {}) =>
    api.call('POST', '/projects', body, { 'x-api-key': api.key, 'idempotency-key': key, ...headers });
  const projectsNamed = async (name: string) => {
    const { projects } = (await api.call('GET', '/projects')).body as { projects: { name: string; id: string }[] };
    return projects.filter((project) => project.name === name);
  };

  /**
   * Makes every append to a project's stream wait.
   * @returns a promise of the first one, and a function that releases them
   */
  function holdAppends() {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    store.append = async (stream, ...rest) => {
      if (stream.startsWith('project-')) {
        reach();
        await released;
      }
      return append(stream, ...rest);
    };
    return { reached, release };
  }

  it('makes a repeated request do nothing and return the first answer, whatever the order of its fields', async () => {
    const first = await post('again', { name: 'once', description: null });
    const second = await post('again', { description: null, name: 'once' });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect(await projectsNamed('once')).toHaveLength(1);
  });

  it('covers repeats after the created resource was deleted', async () => {
    const first = await post('deleted', { name: 'brief' });
    await api.call('DELETE', `/projects/${first.body.id}`);
    expect((await post('deleted', { name: 'brief' })).body).toEqual(first.body);
    expect(await projectsNamed('brief')).toEqual([]);
  });

  it('is refused with 422 naming the header when it comes with another request', async () => {
    await post('other', { name: 'a' });
    const { status, body } = await post('other', { name: 'b' });
    expect(status).toBe(422);
    expect(body.errors[0].loc).toEqual(['header', 'Idempotency-Key']);
  });

  it('stays free after a refused request', async () => {
    expect((await post('free', { name: '' })).status).toBe(422);
    expect((await post('free', '{')).status).toBe(400);
    expect((await post('free', { name: 'right' })).status).toBe(200);
  });

  it.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['beyond ASCII', 'schl\u00fcssel'],
    ['an empty string', '""'],
  ])('that is %s is 400', async (_, key) => {
    const { status, body } = await post(key, { name: 'x' });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
  });

  it('may have the maximum length, and be quoted as in the draft or bare', async () => {
    expect((await post('k'.repeat(255), { name: 'long' })).status).toBe(200);
    const bare = await post('8e03978e-40d5-43dd-bc93-6894a57f9324', { name: 'quoted' });
    const quoted = await post('"8e03978e-40d5-43dd-bc93-6894a57f9324"', { name: 'quoted' });
    expect(quoted.body).toEqual(bare.body);
  });

  it('is separate for each workspace and each route', async () => {
    const { key } = await api.colleague();
    const mine = await post('shared', { name: 'shared' });
    const hers = await post('shared', { name: 'hers' }, { 'x-api-key': key });
    expect([mine.status, hers.status]).toEqual([200, 200]);
    const upload = await api.call(
      'POST',
      '/felix/datasets/upload/url',
      { dataset_name: 'shared' },
      { 'x-api-key': api.key, 'idempotency-key': 'shared' },
    );
    expect(upload.status).toBe(200);
  });

  it('makes a repeat 409 with Retry-After while the first request runs, and another request 422', async () => {
    const { reached, release } = holdAppends();
    const first = post('busy', { name: 'busy' });
    await reached;
    const repeat = await post('busy', { name: 'busy' });
    expect(repeat.status).toBe(409);
    expect([repeat.headers.get('x-should-retry'), repeat.headers.get('retry-after')]).toEqual(['true', '1']);
    expect((await post('busy', { name: 'other' })).status).toBe(422);
    release();
    const { body } = await first;
    expect((await post('busy', { name: 'busy' })).body).toEqual(body);
  });

  it('lets a repeat find out the unknown outcome of the first request', async () => {
    store.append = async (stream, ...rest) => {
      const appended = await append(stream, ...rest);
      if (stream.startsWith('project-')) throw new EventStoreUnavailableError('lost on its way');
      return appended;
    };
    expect((await post('unknown', { name: 'unknown' })).status).toBe(503);
    store.append = append;
    expect((await post('unknown', { name: 'unknown' })).status).toBe(200);
    expect(await projectsNamed('unknown')).toHaveLength(1);
  });

  it('lets a repeat act if the first request did nothing', async () => {
    store.append = () => Promise.reject(new EventStoreUnavailableError('disk full'));
    expect((await post('nothing', { name: 'nothing' })).status).toBe(503);
    store.append = append;
    expect((await post('nothing', { name: 'nothing' })).status).toBe(200);
    expect(await projectsNamed('nothing')).toHaveLength(1);
  });

  it('a client that disconnected gets the recorded answer when it retries', async () => {
    const { reached, release } = holdAppends();
    const leaving = new AbortController();
    const gone = fetch(`${api.url}/projects`, {
      method: 'POST',
      headers: { 'x-api-key': api.key, 'idempotency-key': 'gone', 'content-type': 'application/json' },
      body: '{"name":"gone"}',
      signal: leaving.signal,
    }).catch(() => null);
    await reached;
    leaving.abort();
    await gone;
    release();
    let answer = await post('gone', { name: 'gone' });
    while (answer.status === 409) answer = await post('gone', { name: 'gone' });
    expect(answer.status).toBe(200);
    expect(await projectsNamed('gone')).toEqual([{ ...answer.body }]);
  });

  it('a repeat takes over from a process that died midway, and agrees with it should it wake up', async () => {
    const { reached, release } = holdAppends();
    const first = post('died', { name: 'died' });
    await reached;
    store.append = append;
    await endLeases(api);
    // Simulates another process, whose commands do not wait for those of the dead one.
    Object.assign(api.application, { executor: new Executor(store) });
    const second = await post('died', { name: 'died' });
    expect(second.status).toBe(200);
    release();
    expect((await first).body.id).toBe(second.body.id);
    expect(await projectsNamed('died')).toEqual([second.body]);
  });

  it('a request over the rate limit uses no key', async () => {
    const start = (key: string, body: unknown) =>
      api.call('POST', '/felix/training-jobs', body, { 'x-api-key': api.key, 'idempotency-key': key });
    for (let n = 0; n < 20; n += 1) await start(`start-${n}`, {});
    expect((await start('limited', {})).status).toBe(429);
    expect(await api.application.ports.coordination.list('idempotency:', 1000)).not.toContainEqual(
      expect.objectContaining({ value: expect.objectContaining({ phase: 'running' }) }),
    );
  });

  it('inference accepts the header and ignores it', async () => {
    const call = (text: string) =>
      api.call(
        'POST',
        '/inference',
        { model_id: 'anneal/encoder-base-v1', text, schema: ['person'] },
        { 'x-api-key': api.key, 'idempotency-key': 'call' },
      );
    const [one, two] = [await call('Ada wrote'), await call('Grace wrote')];
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.body.inference_id).not.toBe(two.body.inference_id);
  });
});

/** Ends the leases, as half a minute of silence would. */
async function endLeases({ application }: TestApi): Promise<void> {
  const { coordination } = application.ports;
  for (const { key, value, version } of await coordination.list('idempotency:', 1000)) {
    const record = value as { phase: string };
    if (record.phase === 'running')
      await coordination.compareAndSet(key, { kind: 'version', version }, { ...record, until: 0 }, 60_000);
  }
}
