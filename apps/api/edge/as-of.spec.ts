import { readFileSync } from 'node:fs';
import { systemContext } from '#log/context.js';
import { datasetStreamId } from '#application/datasets.js';
import { envelope } from '#log/execute.js';
import { modelStreamId } from '#application/models.js';
import type { DomainEvent } from '#domain/decider.js';
import { NO_STREAM, type RecordedEvent } from '#ports/event-store/port.js';
import { startTestApi, type TestApi } from '#test/support/api.js';

type Golden = DomainEvent & { readonly stream: string };
const GOLDEN = JSON.parse(readFileSync('test/golden/events.json', 'utf8')) as readonly Golden[];
const START = Date.parse('2026-01-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;
/** The time of a stored event, in hours after the first one's. */
const hour = (n: number): string => new Date(START + n * HOUR_MS).toISOString();

/** Routes for one resource that do not take `as_of`, and why. */
const OF_SEVERAL_STREAMS: Readonly<Record<string, string>> = {
  '/inferences/{id}': 'streams of calls are of a day, contents, corrections and erasures have others',
  '/lineage/datasets/{name}/{version}': 'what learned from it is in the streams of jobs and names',
  '/lineage/datasets/{name}/{version}/rows/{row}': 'as of the version',
  '/v1/inferences/{id}': 'is /inferences/{id}',
  '/v1/files/{id}': 'shows a dataset version: /felix/datasets/{name}/{version} takes as_of',
  '/v1/fine_tuning/jobs/{id}': 'shows a training job: /felix/training-jobs/{id} takes as_of',
  '/v1/models/{path}': 'the catalog is configured, and is not on the log',
  '/v1/responses/{id}': 'shows a call, as /inferences/{id}',
};

describe('as_of', () => {
  let api: TestApi;
  let workspaceId: string;
  let positions: ReadonlyMap<string, readonly string[]>;

  const ids = () => ({
    dataset: datasetStreamId(workspaceId, 'tickets'),
    model: modelStreamId(workspaceId, 'named'),
    deletedModel: modelStreamId(workspaceId, 'dropped'),
  });
  const get = (path: string, asOf?: string, headers?: Record<string, string>) =>
    api.call('GET', asOf === undefined ? path : `${path}?as_of=${encodeURIComponent(asOf)}`, undefined, headers);

  /** Appends a sample stream as this workspace's, an event an hour. @param as its id, where that follows from the workspace */
  async function store(sample: string, as = sample, change: object = {}): Promise<readonly string[]> {
    const [from, to] = [sample, as].map((stream) => stream.slice(stream.indexOf('-') + 1)) as [string, string];
    const events = GOLDEN.filter(({ stream, type }) => stream === sample && type !== 'drift-detected.v1');
    const { storedEvents, ports } = api.application;
    const toAppend = events.map(({ type, data }, index) => {
      const own = 'workspaceId' in data ? { ...data, workspaceId, ...('name' in data && change) } : data;
      const event = JSON.parse(JSON.stringify({ type, data: own }).replaceAll(from, to)) as DomainEvent;
      const { metadata, ...rest } = envelope(as, event, index, systemContext('test', workspaceId));
      return { ...rest, metadata: { ...metadata, occurredAt: hour(index) } };
    });
    await storedEvents.append(as, NO_STREAM, toAppend);
    const stored: RecordedEvent[] = await Array.fromAsync(ports.eventStore.readStream(as));
    return stored.map(({ position }) => position);
  }

  beforeAll(async () => {
    api = await startTestApi();
    const { body } = await api.call('POST', '/projects', { name: 'first' });
    const [made] = await Array.fromAsync(api.application.ports.eventStore.readStream(`project-${body.id}`));
    workspaceId = made!.metadata.workspaceId!;
    const { dataset, model, deletedModel } = ids();
    const samples: readonly (readonly [string, string?, object?])[] = [
      ['project-0190b6a0-0000-7000-8000-000000000009'],
      ['job-0190b6a0-0000-7000-8000-000000000009'],
      ['job-0190b6a0-0000-7000-8000-00000000000a'],
      ['evaluation-0190b6a0-0000-7000-8000-00000000000d'],
      ['evaluation-0190b6a0-0000-7000-8000-00000000000e'],
      ['generation-0190b6a0-0000-7000-8000-0000000000a1'],
      ['batch-0190b6a0-0000-7000-8000-0000000000b1'],
      ['webhook-0190b6a0-0000-7000-8000-0000000000c1'],
      ['model-0190b6a0-0000-5000-8000-0000000000c1', `model-${model}`, { name: 'named' }],
      ['model-0190b6a0-0000-5000-8000-0000000000c2', `model-${deletedModel}`, { name: 'dropped' }],
      ['improvement-0190b6a0-0000-5000-8000-0000000000c1', `improvement-${model}`, { name: 'named' }],
      ['dataset-5f0c9f5e-6a1b-5d0e-9c56-000000000d06', `dataset-${dataset}`, { name: 'tickets' }],
    ];
    const stored = new Map<string, readonly string[]>();
    for (const [sample, as, change] of samples) stored.set(sample, await store(sample, as, change));
    positions = stored;
    await api.drained();
  });
  afterAll(() => api.close());

  /** A route, its sample stream, the field that is looked at, and its value after each event; null: 404. */
  const RESOURCES: readonly (readonly [string, string, string, readonly unknown[]])[] = [
    ['/projects/{id}', 'project-0190b6a0-0000-7000-8000-000000000009', 'name', ['*', null]],
    [
      '/felix/training-jobs/{id}',
      'job-0190b6a0-0000-7000-8000-000000000009',
      'status',
      [
        ...['requested', 'running', 'running', 'running', 'running', 'running'],
        ...['running', 'running', 'complete', 'deployed', 'deployed'],
      ],
    ],
    [
      '/felix/training-jobs/{id}',
      'job-0190b6a0-0000-7000-8000-00000000000a',
      'status',
      ['requested', 'cancelled', 'cancelled', null, null],
    ],
    [
      '/felix/evaluations/{id}',
      'evaluation-0190b6a0-0000-7000-8000-00000000000d',
      'status',
      ['queued', 'running', 'running', 'running', 'complete'],
    ],
    [
      '/felix/evaluations/{id}',
      'evaluation-0190b6a0-0000-7000-8000-00000000000e',
      'status',
      ['queued', 'failed', 'failed', null, null],
    ],
    [
      '/generate/jobs/{id}',
      'generation-0190b6a0-0000-7000-8000-0000000000a1',
      'status',
      ['queued', 'generating', 'generating', 'generating', 'generating', 'generating', 'ready'],
    ],
    [
      '/v1/batches/batch_{id}',
      'batch-0190b6a0-0000-7000-8000-0000000000b1',
      'status',
      ['in_progress', 'cancelling', '*'],
    ],
    [
      '/webhooks/{id}',
      'webhook-0190b6a0-0000-7000-8000-0000000000c1',
      'enabled',
      [true, true, true, false, true, null],
    ],
    ['/models/dropped', 'model-0190b6a0-0000-5000-8000-0000000000c2', 'name', ['dropped', null]],
  ];

  it.each(RESOURCES)(
    '%s of %s: %s as it was after each event, by position and by time',
    async (route, sample, field, expected) => {
      const path = route.replace('{id}', sample.slice(sample.indexOf('-') + 1));
      const at = positions.get(sample)!;
      expect(at.length).toBe(expected.length);
      for (const [index, value] of expected.entries()) {
        const [byPosition, byTime] = [await get(path, at[index]), await get(path, hour(index + 0.5))];
        const label = `after event ${index}`;
        const status = value === null ? 404 : 200;
        expect([label, byPosition.status, byTime.status]).toEqual([label, status, status]);
        if (value === null) {
          expect(JSON.stringify(byPosition.body)).toMatch(/does not exist as of .*it had been deleted by then/);
          continue;
        }
        expect(byTime.body).toEqual(byPosition.body);
        for (const { headers } of [byPosition, byTime]) expect(headers.get('x-anneal-as-of')).toBe(at[index]);
        if (value !== '*') expect([label, byPosition.body[field]]).toEqual([label, value]);
        // The event's own time is among what it takes in.
        expect((await get(path, hour(index))).body).toEqual(byPosition.body);
      }
    },
  );

  it.each(RESOURCES)('%s of %s is 404 before its first event, and for another workspace', async (route, sample) => {
    const path = route.replace('{id}', sample.slice(sample.indexOf('-') + 1));
    for (const early of ['2025-12-31T23:59:59.999Z', '0'.repeat(positions.get(sample)![0]!.length)]) {
      const before = await get(path, early);
      expect([before.status, JSON.stringify(before.body)]).toEqual([404, expect.stringContaining('it was made later')]);
    }
    const headers = { 'x-api-key': (await api.colleague()).key };
    const others = await get(path, hour(0), headers);
    expect([others.status, JSON.stringify(others.body)]).toEqual([404, expect.not.stringContaining('as of')]);
    expect(others.headers.get('x-anneal-as-of')).toBeNull();
  });

  it('lists the versions that a model name had then', async () => {
    const at = positions.get('model-0190b6a0-0000-5000-8000-0000000000c1')!;
    const counts = await Promise.all(at.slice(0, 3).map((position) => get('/models/named', position)));
    expect(counts.map(({ body }) => body.versions.length)).toEqual([0, 1, 2]);
    const last = await get('/models/named', at.at(-1));
    const { shadow_agreement: _, ...live } = (await get('/models/named')).body;
    expect(last.body).toEqual(live);
  });

  it('shows the stages that an improvement had then', async () => {
    const sample = 'improvement-0190b6a0-0000-5000-8000-0000000000c1';
    const { improvementId } = GOLDEN.find(({ stream }) => stream === sample)!.data as { improvementId: string };
    const at = positions.get(sample)!;
    const path = `/improvements/${improvementId}`;
    const [asked, trained] = [await get(path, at[0]), await get(path, at[2])];
    expect([asked.body.training_job_id, asked.body.gate]).toEqual([null, null]);
    expect(trained.body.training_job_id).toEqual(expect.any(String));
    expect((await get(path, at.at(-1))).body).toEqual((await get(path)).body);
  });

  it('lists the versions that a dataset had then, including deleted and restored ones', async () => {
    const at = positions.get('dataset-5f0c9f5e-6a1b-5d0e-9c56-000000000d06')!;
    const versions = async (position: string) => {
      const { body } = await get('/felix/datasets/tickets', position);
      return ((body.versions ?? []) as { version_number: string; status: string }[]).map(
        ({ version_number, status }) => `${version_number} ${status}`,
      );
    };
    const all = [];
    for (const position of at) all.push((await versions(position)).length);
    expect(all).toEqual([1, 1, 1, 2, 2, 1, 2, 2, 2, 2, 2]);
    const latest = await get('/felix/datasets/tickets/latest', at[2]);
    expect(latest.body).toMatchObject({ status: 'ready' });
    expect(latest.headers.get('x-anneal-as-of')).toBe(at[2]);
    expect((await get('/felix/datasets/tickets/77', at[2])).status).toBe(404);
    const headers = { 'x-api-key': (await api.colleague()).key };
    expect((await get('/felix/datasets/tickets', at[2], headers)).status).toBe(404);
  });

  it('names the fields that cannot be derived from the stream', async () => {
    const webhook = 'webhook-0190b6a0-0000-7000-8000-0000000000c1';
    const answer = await get(`/webhooks/${webhook.slice(8)}`, positions.get(webhook)![0]);
    expect(answer.headers.get('x-anneal-left-out')).toBe('failing_since, last_delivered_at');
    const job = 'job-0190b6a0-0000-7000-8000-000000000009';
    const running = await get(`/felix/training-jobs/${job.slice(4)}`, positions.get(job)![1]);
    expect(running.headers.get('x-anneal-left-out')).toBe('progress_percent');
  });

  it('shows a deleted evaluation without its removed predictions, and says so', async () => {
    const sample = 'evaluation-0190b6a0-0000-7000-8000-00000000000d';
    const path = `/felix/evaluations/${sample.slice(11)}`;
    const last = positions.get(sample)!.at(-1)!;
    expect((await get(path, last)).headers.get('x-anneal-left-out')).toBeNull();
    expect((await api.call('DELETE', path)).status).toBe(200);
    const answer = await get(path, last);
    expect([answer.status, answer.body.status, answer.body.predictions]).toEqual([200, 'complete', []]);
    expect(answer.headers.get('x-anneal-left-out')).toBe('predictions');
  });

  it('supports If-None-Match: the same past is 304, another one 200', async () => {
    const sample = 'job-0190b6a0-0000-7000-8000-00000000000a';
    const path = `/felix/training-jobs/${sample.slice(4)}`;
    const [requested, cancelled] = positions.get(sample)!;
    const headers = { 'x-api-key': api.key, 'if-none-match': (await get(path, requested)).headers.get('etag')! };
    const same = await get(path, requested, headers);
    expect([same.status, same.headers.get('x-anneal-as-of')]).toEqual([304, requested]);
    expect((await get(path, cancelled, headers)).status).toBe(200);
  });

  it.each([
    ['', 400],
    ['yesterday', 400],
    ['2026-02-30', 400],
    ['2026-99-99T00:00:00.000Z', 400],
    ['-1', 400],
    ['2999-01-01T00:00:00Z', 422],
    ['1', 422],
    ['9'.repeat(16), 422],
    ['9'.repeat(20), 422],
    ['9'.repeat(40), 422],
  ])('refuses %j by name with %i', async (value, status) => {
    for (const path of [
      '/projects/none',
      '/felix/datasets/tickets',
      '/felix/evaluations/none',
      '/v1/batches/batch_0190b6a0-0000-7000-8000-000000000001',
    ]) {
      const answer = await get(path, value);
      expect([path, answer.status]).toEqual([path, status]);
      expect(JSON.stringify(answer.body)).toContain('as_of');
    }
  });

  it('refuses two values', async () => {
    expect((await get('/projects/none?as_of=2026-01-01&as_of=2026-01-02')).status).toBe(400);
  });

  it('works on every route for a single resource, except routes that answer from several streams', async () => {
    const { paths } = (await api.call('GET', '/openapi.json', undefined, {})).body as {
      paths: Record<string, { get?: { parameters?: { name: string }[] } }>;
    };
    const single = Object.entries(paths).filter(([path, { get: operation }]) => operation && path.endsWith('}'));
    const without = single.filter(([, item]) => !item.get!.parameters?.some(({ name }) => name === 'as_of'));
    expect(without.map(([path]) => path).toSorted()).toEqual(Object.keys(OF_SEVERAL_STREAMS).toSorted());
    expect(single.length - without.length).toBeGreaterThan(8);
  });

  it('is refused by name on every other route of the document', async () => {
    const { body } = await api.call('GET', '/openapi.json', undefined, {});
    const paths = Object.entries(body.paths as Record<string, { get?: { parameters?: { name: string }[] } }>);
    const problems: unknown[] = [];
    let taken = 0;
    for (const [path, { get: operation }] of paths) {
      if (!operation || path.startsWith('/health')) continue;
      if (operation.parameters?.some(({ name }) => name === 'as_of')) {
        taken += 1;
        continue;
      }
      const answer = await get(path.replace('{version}', '1').replaceAll(/\{[^}]+\}/g, 'x'), hour(0), {
        ...(path.startsWith('/auth/') ? { authorization: `Bearer ${api.session}` } : { 'x-api-key': api.key }),
      });
      if (answer.status !== 422 || !JSON.stringify(answer.body).includes('as_of')) problems.push([path, answer.status]);
    }
    expect(problems).toEqual([]);
    expect(taken).toBeGreaterThan(8);
  });
});
