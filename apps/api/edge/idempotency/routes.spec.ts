import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubServer } from '#test/hub-server/index.js';
import { startTestApi, type Answer, type TestApi } from '#test/support/api.js';
import { settled, uploadDataset } from '#test/support/datasets.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { trips } from '#test/support/trips.js';
import { withoutAlias } from '../aliases.js';

const WRITER = 'hf_writer0123456789';
const BASE = 'anneal/encoder-base-v1';
/** Rows for which a training waits until it is stopped. */
const absent = join(tmpdir(), randomUUID());
const WAITING = Array.from({ length: 10 }, (_, row) => `{"text":"wait 1 ${absent} ${row}","entities":[]}\n`).join('');

/** POSTs that create nothing, or ignore the key (docs/reference/api.md). */
const WITHOUT = new Set([
  '/auth/password',
  '/auth/sign-in',
  '/auth/sign-out',
  '/auth/workspace',
  '/inference',
  '/gliner-2',
  '/felix/datasets/preview-from-hub',
  '/felix/datasets/{name}/{version}/preview',
  '/felix/datasets/{name}/restore',
  '/felix/training-jobs/estimate',
  '/felix/training-jobs/{id}/checkpoints/{checkpoint}/deploy',
  '/distillations/{id}/cancel',
  '/improvements/{id}/force',
  '/improvements/{id}/cancel',
  '/incidents/{id}/close',
  '/proposals/{id}/confirm',
  '/proposals/{id}/decline',
  ...['reserve', 'release', 'skip', 'assign'].map((step) => `/review/{id}/${step}`),
]);

interface Case {
  readonly request: () => Promise<{ readonly path: string; readonly body?: object; readonly session?: boolean }>;
  /** Makes it so that the request would be refused, or answered otherwise, were it a new one. */
  readonly afterwards?: (first: Answer['body']) => Promise<unknown>;
  /** The part of an answer that a repeat must equal. */
  readonly same?: (body: Answer['body']) => unknown;
  /** Checks the repeat where it differs from the first answer. */
  readonly repeated?: (first: Answer['body'], repeat: Answer) => void;
}

/** A repeat on each route with an `Idempotency-Key` gives the same answer and does nothing again. */
describe('a repeat of', () => {
  let api: TestApi;
  let hub: HubServer;
  let hosted: HostedSettings;
  beforeAll(async () => {
    hub = await HubServer.start();
    hub.accounts.set(WRITER, { name: 'ada', mayWrite: true });
    hosted = await hostedSettings('http://127.0.0.1:9/v1');
    const settings = { rateLimits: false, hubUrl: hub.url, ...hosted.values };
    api = await startTestApi(settings, { engines: QUICK_ENGINES });
  });
  afterAll(async () => {
    await api.close();
    await hub.close();
    await hosted.remove();
  });

  const made = async (path: string, body: object) => (await api.call('POST', path, body)).body;
  const ready = (name: string) => uploadDataset(api, { dataset_name: name, filename: 'trips.jsonl' }, trips(60));
  const remove = (path: string) => api.call('DELETE', path);
  const removeProjects = async (named: string) => {
    const { projects } = (await api.call('GET', '/projects')).body;
    for (const { id, name } of projects) if (name === named) await remove(`/projects/${id}`);
  };

  const CASES: Readonly<Record<string, Case>> = {
    '/create-api-key': {
      request: () => Promise.resolve({ path: '/create-api-key', body: { name: 'twice' }, session: true }),
      repeated: (first, { status, headers, body }) => {
        expect([status, headers.get('x-should-retry')]).toEqual([409, 'false']);
        expect(body.detail).toContain(first.id);
        expect(JSON.stringify(body)).not.toContain('pio_sk_');
      },
    },
    '/projects': {
      request: () => Promise.resolve({ path: '/projects', body: { name: 'twice' } }),
      afterwards: ({ id }) => remove(`/projects/${id}`),
    },
    '/inferences/import': {
      request: () => {
        const call = { model_id: 'theirs', input: 'a', output: 'b', created_at: '2020-01-02T03:04:05Z' };
        return Promise.resolve({
          path: '/inferences/import',
          body: { id: 'twice', ...call, human_verdict: 'correct' },
        });
      },
    },
    '/account/holds': {
      request: () => Promise.resolve({ path: '/account/holds', body: { kind: 'call', id: 'twice', reason: 'r' } }),
      afterwards: ({ id }) => remove(`/account/holds/${id}?reason=over`),
    },
    '/incidents': {
      request: () =>
        Promise.resolve({ path: '/incidents', body: { title: 't', severity: 'low', description: 'twice' } }),
      afterwards: ({ id }) => made(`/incidents/${id}/close`, { resolution: 'over' }),
    },
    '/webhooks': {
      request: () => Promise.resolve({ path: '/webhooks', body: { url: 'https://example.com/twice' } }),
      afterwards: ({ id }) => remove(`/webhooks/${id}`),
    },
    '/webhooks/{id}/rotate': {
      request: async () => {
        const { id } = await made('/webhooks', { url: 'https://example.com/rotated' });
        return { path: `/webhooks/${id}/rotate`, body: { overlap_hours: 1 } };
      },
      afterwards: ({ id }) => made(`/webhooks/${id}/rotate`, {}),
    },
    '/webhooks/{id}/test': {
      request: async () => {
        const { id } = await made('/webhooks', { url: 'https://example.com/tested' });
        return { path: `/webhooks/${id}/test` };
      },
      afterwards: ({ data }) => remove(`/webhooks/${data.webhook_id}`),
    },
    '/webhooks/{id}/deliveries/{delivery_id}/resend': {
      request: async () => {
        const { id } = await made('/webhooks', { url: 'https://example.com/resent' });
        const { id: deliveryId } = await made(`/webhooks/${id}/test`, {});
        // Before that, it is sent anyway: there is nothing to repeat.
        await api.until(
          () => api.call('GET', `/webhooks/${id}/deliveries`),
          ({ body }) => body.deliveries[0]?.attempts.length > 0,
        );
        return { path: `/webhooks/${id}/deliveries/${deliveryId}/resend` };
      },
      // The attempts made meanwhile may differ.
      same: ({ id, type, timestamp, data }) => ({ id, type, timestamp, data }),
    },
    '/felix/datasets/upload/url': {
      request: async () => {
        const { id } = await made('/projects', { name: 'uploads' });
        return { path: '/felix/datasets/upload/url', body: { dataset_name: 'offered', project_id: id } };
      },
      afterwards: async () => {
        await removeProjects('uploads');
        await made('/felix/datasets/upload/url', { dataset_name: 'offered' });
      },
      // The address is signed anew; it is one for the same object.
      same: ({ presigned_url, upload_url: _, ...rest }) => ({ ...rest, object: new URL(presigned_url).pathname }),
    },
    '/felix/datasets/upload/process': {
      request: async () => {
        const { dataset_id, presigned_url } = await made('/felix/datasets/upload/url', { dataset_name: 'processed' });
        await fetch(presigned_url, { method: 'PUT', body: trips(20) });
        return { path: '/felix/datasets/upload/process', body: { dataset_id } };
      },
      afterwards: () => settled(api, '/felix/datasets/processed/1'),
    },
    '/felix/datasets/from-feedback': {
      request: async () => {
        const call = { model_id: BASE, text: 'Ada went to Rome.', schema: ['person'] };
        const { inference_id } = await made('/inference', call);
        await made(`/inferences/${inference_id}/feedback`, { verdict: 'correct' });
        return { path: '/felix/datasets/from-feedback', body: { dataset_name: 'judged' } };
      },
      afterwards: async () => {
        await api.until(
          () => api.call('GET', '/felix/datasets/judged/latest'),
          ({ body }) => body.status === 'ready',
        );
        await remove('/felix/datasets/judged');
      },
    },
    '/felix/datasets/merge': {
      request: async () => {
        for (const name of ['left', 'right']) await ready(name);
        const sources = [{ dataset_name: 'left' }, { dataset_name: 'right' }];
        return { path: '/felix/datasets/merge', body: { sources, output_name: 'merged' } };
      },
      afterwards: () => remove('/felix/datasets/left'),
    },
    '/felix/datasets/{name}/{version}/push-to-hub': {
      request: async () => {
        await ready('pushed');
        return { path: '/felix/datasets/pushed/1/push-to-hub', body: { repo_id: 'ada/pushed', hf_token: WRITER } };
      },
      afterwards: () => remove('/felix/datasets/pushed'),
    },
    '/felix/datasets/pull-from-hub': {
      request: async () => {
        await ready('given');
        await made('/felix/datasets/given/1/push-to-hub', { repo_id: 'ada/given', hf_token: WRITER });
        const body = { repo_id: 'ada/given', dataset_name: 'pulled', dataset_type: 'ner', hf_token: WRITER };
        return { path: '/felix/datasets/pull-from-hub', body };
      },
      afterwards: async () => {
        await settled(api, '/felix/datasets/pulled/1');
        await remove('/felix/datasets/pulled');
      },
    },
    '/generate': {
      request: async () => {
        const { id } = await made('/projects', { name: 'generated' });
        const task = { task_type: 'ner', labels: ['person', 'city'], num_examples: 5, seed: 5 };
        return { path: '/generate', body: { ...task, dataset_name: 'generated', project_id: id } };
      },
      afterwards: () => removeProjects('generated'),
    },
    '/generate/ner/label-existing': {
      request: () => {
        const body = { inputs: ['Ada went to Paris.'], labels: ['person'], dataset_name: 'labelled' };
        return Promise.resolve({ path: '/generate/ner/label-existing', body });
      },
      afterwards: () => made('/felix/datasets/upload/url', { dataset_name: 'labelled' }),
    },
    '/generate/classification/label-existing': {
      request: () => {
        const body = { inputs: ['good', 'bad'], labels: ['praise', 'complaint'], dataset_name: 'classified' };
        return Promise.resolve({ path: '/generate/classification/label-existing', body });
      },
      afterwards: () => made('/felix/datasets/upload/url', { dataset_name: 'classified' }),
    },
    '/felix/training-jobs': {
      request: async () => {
        await ready('trained');
        const body = { model_name: 'm', base_model: BASE, datasets: [{ name: 'trained' }], nr_epochs: 1 };
        return { path: '/felix/training-jobs', body };
      },
      afterwards: async ({ id }) => {
        await remove(`/felix/training-jobs/${id}`);
        await remove('/felix/datasets/trained');
      },
    },
    '/v1/fine_tuning/jobs': {
      request: async () => {
        const { id } = await ready('tuned');
        const hyperparameters = { n_epochs: 1 };
        const body = { model: BASE, training_file: `file-${id}`, hyperparameters };
        return { path: '/v1/fine_tuning/jobs', body };
      },
      afterwards: async ({ id }) => {
        await remove(`/felix/training-jobs/${id.slice('ftjob-'.length)}`);
        await remove('/felix/datasets/tuned');
      },
    },
    '/v1/batches': {
      request: async () => {
        const form = new FormData();
        const call = {
          custom_id: 'a',
          method: 'POST',
          url: '/v1/embeddings',
          body: { model: 'acme/none', input: 'Hi' },
        };
        form.append('file', new Blob([JSON.stringify(call)]), 'requests.jsonl');
        form.append('purpose', 'batch');
        const headers = { 'x-api-key': api.key };
        const sent = await fetch(`${api.url}/v1/files`, { method: 'POST', headers, body: form });
        const { id } = (await sent.json()) as { id: string };
        return {
          path: '/v1/batches',
          body: { input_file_id: id, endpoint: '/v1/embeddings', completion_window: '24h' },
        };
      },
      afterwards: ({ input_file_id }) => remove(`/v1/files/${input_file_id}`),
    },
    '/models': {
      request: () => Promise.resolve({ path: '/models', body: { name: 'twice' } }),
      afterwards: () => remove('/models/twice'),
    },
    '/models/{name}/versions': {
      request: async () => {
        await made('/models', { name: 'versioned' });
        return { path: '/models/versioned/versions', body: { model_id: BASE } };
      },
      afterwards: () => made('/models/versioned/versions', { model_id: 'anneal/embedder-base-v1' }),
    },
    '/models/{name}/improve': {
      request: async () => {
        await ready('learned');
        const job = { base_model: BASE, datasets: [{ name: 'learned' }], nr_epochs: 1 };
        const { id } = await made('/felix/training-jobs', job);
        const isComplete = ({ body }: Answer) => body.status === 'complete';
        await api.until(() => api.call('GET', `/felix/training-jobs/${id}`), isComplete);
        await made('/models', { name: 'improved' });
        await made('/models/improved/versions', { training_job_id: id });
        await api.call('PUT', '/models/improved/versions/1/promote', { reason: 'the first' });
        return { path: '/models/improved/improve', body: { dataset_name: 'learned' } };
      },
      afterwards: ({ id }) => made(`/improvements/${id}/cancel`, {}),
    },
    '/models/{name}/distil': {
      request: async () => ({ path: '/models/distilled/distil', body: { teacher: 'acme/chat' } }),
      afterwards: ({ id }) => made(`/distillations/${id}/cancel`, {}),
    },
    '/models/{name}/rollback': {
      request: async () => {
        await made('/models', { name: 'rolled' });
        for (const model_id of [BASE, 'anneal/embedder-base-v1', BASE])
          await made('/models/rolled/versions', { model_id });
        for (const n of [1, 2, 3]) await api.call('PUT', `/models/rolled/versions/${n}/promote`, { reason: 'better' });
        return { path: '/models/rolled/rollback', body: { reason: 'worse' } };
      },
      afterwards: () => made('/models/rolled/rollback', { reason: 'worse still' }),
    },
    '/felix/training-jobs/{id}/stop': {
      request: async () => {
        await uploadDataset(api, { dataset_name: 'stopped', filename: 'trips.jsonl' }, trips(20) + WAITING);
        const body = { model_name: 'm', base_model: BASE, datasets: [{ name: 'stopped' }], nr_epochs: 50 };
        const { id } = await made('/felix/training-jobs', body);
        return { path: `/felix/training-jobs/${id}/stop` };
      },
    },
    '/felix/evaluations': {
      request: async () => {
        await ready('measured');
        return { path: '/felix/evaluations', body: { base_model: BASE, dataset_name: 'measured' } };
      },
      afterwards: async ({ id }) => {
        await remove(`/felix/evaluations/${id}`);
        await remove('/felix/datasets/measured');
      },
    },
    '/inferences/{id}/feedback': {
      request: async () => {
        const call = { model_id: BASE, text: 'Ada went to Paris.', schema: ['person'] };
        const { inference_id } = await made('/inference', call);
        return { path: `/inferences/${inference_id}/feedback`, body: { verdict: 'correct' } };
      },
      afterwards: async () => {
        const { inferences } = (await api.call('GET', '/inferences?limit=1')).body;
        await made(`/inferences/${inferences[0].id}/feedback`, { correction: { entities: { person: [] } } });
      },
    },
  };

  it('is tested for every route that creates something', async () => {
    const { paths } = (await api.call('GET', '/openapi.json')).body as { paths: Record<string, PathItem> };
    const posts = Object.entries(paths).flatMap(([path, { post }]) => (post ? [{ path, post }] : []));
    // A repeat under one name of a route tells of all its names.
    const isAlias = (path: string) => withoutAlias({ method: 'POST', url: path }) !== path;
    const taking = posts.filter(
      ({ path, post }) => !isAlias(path) && post.parameters.some(({ name }) => name === 'Idempotency-Key'),
    );
    const paths_ = taking.map(({ path }) => path).toSorted();
    expect(paths_).toEqual(Object.keys(CASES).toSorted());
    const others = posts.filter(({ path }) => !paths_.includes(path)).map(({ path }) => path);
    expect(others.filter((path) => !WITHOUT.has(path) && !path.startsWith('/v1/'))).toEqual([]);
  });

  it.each(Object.keys(CASES))('POST %s gets the answer of the first request', async (route) => {
    const { request, afterwards, same = (body) => body, repeated } = CASES[route]!;
    const { path, body, session } = await request();
    const key = `repeat ${route}`;
    const who = session ? { authorization: `Bearer ${api.session}` } : { 'x-api-key': api.key };
    const send = () => api.call('POST', path, body, { ...who, 'idempotency-key': key });

    const first = await send();
    expect(first.status).toBeLessThan(300);
    const done = await eventsOf(await commandIds());
    await afterwards?.(first.body);
    const second = await send();
    if (repeated) repeated(first.body, second);
    else {
      expect(second.status).toBe(first.status);
      expect(same(second.body)).toEqual(same(first.body));
    }
    expect(await eventsOf(await commandIds())).toBe(done);
  });

  /** Command ids of all requests that had a key. */
  async function commandIds(): Promise<ReadonlySet<string>> {
    const entries = await api.application.ports.coordination.list('idempotency:', 1000);
    return new Set(entries.map(({ value }) => (value as { commandId: string }).commandId));
  }

  async function eventsOf(commands: ReadonlySet<string>): Promise<number> {
    let count = 0;
    for await (const { metadata } of api.application.ports.eventStore.readAll({}))
      if (commands.has(String(metadata.commandId))) count += 1;
    return count;
  }
});

interface PathItem {
  readonly post?: { readonly parameters: readonly { readonly name: string }[] };
}
