import { HubServer } from '#test/hub-server/index.js';
import { eventually } from '#test/support/eventually.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { hostedSettings } from '#test/support/hosted-settings.js';
import { answers, byPath, completes, embeds } from '#test/support/scripted-answers.js';
import { says, startScriptedAnthropic } from '#test/support/scripted-anthropic.js';
import { startScriptedProvider } from '#test/support/scripted-provider.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import type { Settings } from '#settings/index.js';
import { KnownIds, type Credential, type Reference } from './references.js';

/** Planted in everything of the other workspace, and sent by nobody: in no answer may it stand. */
export const MARKER = 'zqxmarker7f3a';
/** May write to the hub, which is local: nothing leaves this machine. */
export const HUB_TOKEN = 'hf_writer0123456789';
/** The user who may sign in. */
export const ADMIN = { email: 'ada@example.com', password: 'correct horse battery' };
const BASE = 'anneal/encoder-base-v1';

/** Two workspaces of one team, with something of each kind in both. */
export interface World {
  readonly api: TestApi;
  readonly own: KnownIds;
  readonly foreign: KnownIds;
  readonly resolve: (reference: Reference) => string;
  /** Credentials of the workspace under test. */
  credentials(credential: Credential): Promise<readonly (readonly [string, string])[]>;
  /** A session that may be ended. */
  spareSession(): Promise<string>;
  /** What the other workspace has. */
  snapshot(): Promise<readonly string[]>;
  /** Ends what has been started and would go on for long, and makes again what requests have deleted. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function startWorld(values: Partial<Settings> = {}): Promise<World> {
  const hub = await HubServer.start();
  hub.accounts.set(HUB_TOKEN, { name: 'ada', mayWrite: true });
  hub.add('ada/set', { 'train.jsonl': trips(12) });
  const upstreams = await startUpstreams();
  const settings: Partial<Settings> = {
    ...upstreams.values,
    ...{ rateLimits: false, logLevel: 'error', hubUrl: hub.url },
    ...{ adminEmail: ADMIN.email, adminPassword: ADMIN.password },
    ...values,
  };
  const api = await startTestApi(settings, { engines: QUICK_ENGINES });
  const other = await api.colleague();
  const { body: keys } = await api.call('GET', '/list-api-keys');
  const never = (keys.keys as readonly { id: string }[]).map(({ id }) => id);
  const own = new KnownIds(never);
  const foreign = new KnownIds();
  const callAs =
    (key: string): TestApi['call'] =>
    (method, path, body, headers) =>
      api.call(method, path, body, { ...headers, 'x-api-key': key });
  const theirs = callAs(other.key);
  const furnishOwn = () => furnish({ ...api, call: callAs(api.key) }, own, 'own');
  await furnishOwn();
  await furnish({ ...api, call: theirs }, foreign, MARKER);
  foreign.learn('/list-api-keys', (await theirs('GET', '/list-api-keys')).body);
  return {
    ...{ api, own, foreign },
    resolve({ kind, whose, n }) {
      const known = (whose === 'own' ? own : foreign).of(kind);
      return known[n % known.length] ?? 'none';
    },
    async credentials(credential) {
      switch (credential) {
        case 'key':
          return [['x-api-key', api.key]];
        case 'bearer':
          return [['authorization', `Bearer ${api.key}`]];
        case 'session':
          return [['authorization', `Bearer ${api.session}`]];
        case 'cookie':
          return [['cookie', `anneal_session=${api.session}`]];
        case 'unknown':
          return [['x-api-key', `pio_sk_${'A'.repeat(43)}`]];
        case 'none':
          return [];
      }
    },
    snapshot: () =>
      Promise.all(
        LISTS.map(async (path) => {
          const { status, body } = await theirs('GET', path);
          return `${path}: ${status} ${JSON.stringify(body)}`;
        }),
      ),
    spareSession: async () => (await api.colleague()).session,
    async settle() {
      const { body } = await api.call('GET', '/felix/training-jobs');
      const { body: models } = await api.call('GET', '/felix/trained-models?limit=1');
      const { status } = await api.call('GET', `/felix/datasets/${OWN_TRIPS}/latest/preview`);
      if (models.count === 0 || status !== 200) await furnishOwn();
      for (const { id, is_terminal_status } of body.training_jobs as readonly {
        id: string;
        is_terminal_status: boolean;
      }[])
        if (!is_terminal_status) await api.call('POST', `/felix/training-jobs/${id}/stop`);
    },
    async close() {
      await api.close();
      await upstreams.close();
      await hub.close();
    },
  };
}

/** Providers of either style, whose models are served. */
async function startUpstreams() {
  const [openai, anthropic] = await Promise.all([startScriptedProvider(), startScriptedAnthropic()]);
  const text = 'What was asked for';
  const acts = { 'chat/completions': answers(text), completions: completes(text), embeddings: embeds() };
  openai.script(byPath(acts));
  anthropic.script(says(text));
  const hosted = await hostedSettings(openai.url, {}, anthropic.url);
  return {
    values: hosted.values,
    async close() {
      await Promise.all([openai.close(), anthropic.close(), hosted.remove()]);
    },
  };
}

/** Show everything that a workspace has, with its state. */
const LISTS = [
  ...[
    '/projects',
    '/felix/datasets',
    '/felix/training-jobs',
    '/felix/trained-models',
    '/felix/evaluations',
    '/generate/jobs',
  ],
  ...[
    '/inferences',
    '/review',
    '/webhooks',
    '/incidents',
    '/account/holds',
    '/v1/files',
    '/v1/batches',
    '/v1/fine_tuning/jobs',
    '/list-api-keys',
  ],
];

const FORM = { 'content-type': 'multipart/form-data; boundary=part' };
/** A file of requests for a batch. */
const formOf = (content: string): string =>
  [
    ...['--part', 'content-disposition: form-data; name="purpose"', '', 'batch'],
    ...['--part', 'content-disposition: form-data; name="file"; filename="requests.jsonl"', '', content],
    ...['--part--', ''],
  ].join('\r\n');

const HOSTED = ['acme/chat', 'acme/claude', 'acme/base', 'acme/embed', 'anneal/embedder-base-v1'];

const OWN_TRIPS = 'trips of mine';

/** @param word stands in all that is made */
async function furnish(api: Pick<TestApi, 'call' | 'until'>, ids: KnownIds, word: string): Promise<void> {
  const client = new TrainingClient(api);
  const good = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    // 425: a runner is still loading the model.
    const answer = await eventually(
      () => api.call(method, path, body, headers),
      ({ status }) => status !== 425,
    );
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    ids.learn(path, answer.body);
    return answer.body as Record<string, string>;
  };
  const project = await good('POST', '/projects', { name: `${word} project`, description: word });
  const rows = trips(24).replaceAll('please', `please ${word}`).replaceAll('travel"', `${word}"`);
  // The dataset's name may be sent in requests, so the marker is not part of it.
  const dataset_name = word === MARKER ? 'trips of others' : OWN_TRIPS;
  const version = await uploadDataset(api, { dataset_name, project_id: project['id'] }, rows);
  ids.learn('/felix/datasets/', version);
  await good('GET', '/felix/datasets');
  const started = await client.start({
    ...{ base_model: BASE, datasets: [{ name: dataset_name }], nr_epochs: 2, model_name: `${word} model` },
    project_id: project['id'],
  });
  await client.ended(started.id);
  const evaluation = await client.automaticEvaluation(started.id);
  ids.learn('/felix/evaluations/', evaluation);
  for (const path of ['/felix/training-jobs', '/felix/evaluations']) await good('GET', path);
  await good('GET', `/felix/training-jobs/${started.id}/checkpoints`);
  const called = await good('POST', '/inference', {
    model_id: started.id,
    text: `${word} flew to Paris`,
    project_id: project['id'],
  });
  await good('POST', `/inferences/${called['inference_id']}/feedback`, { verdict: 'correct', notes: word });
  ids.add('inference', called['inference_id']);
  await good('POST', '/account/holds', { kind: 'call', id: called['inference_id'], reason: word });
  await good('POST', '/webhooks', { url: `https://example.com/${word}` });
  await good('POST', '/incidents', { title: word, severity: 'low', description: word });
  ids.add('file', `file-${version.id}`);
  ids.add('fine-tuning', `ftjob-${started.id}`);
  const line = { custom_id: word, method: 'POST', url: '/v1/embeddings', body: { model: 'acme/embed', input: word } };
  const { id: file } = await good('POST', '/v1/files', formOf(JSON.stringify(line)), FORM);
  await good('POST', '/v1/batches', { input_file_id: file, endpoint: line.url, completion_window: '24h' });
  await good('POST', '/v1/responses', { model: 'acme/chat', input: word, store: true });
  const task = { task_type: 'ner', labels: ['person', 'city'], num_examples: 2, seed: 5 };
  const made = await good('POST', '/generate', { ...task, dataset_name: `${dataset_name} made` });
  ids.add('generation', made['job_id'] ?? made['id']);
  const name = `${word === MARKER ? 'theirs' : 'mine'}-${ids.of('model-name').length}`;
  await good('POST', '/models', { name });
  await good('POST', `/models/${name}/versions`, { training_job_id: started.id });
  await good('PUT', `/models/${name}/versions/1/promote`, { reason: word });
  const { id: improvement } = await good('POST', `/models/${name}/improve`, { dataset_name });
  // 409: it has ended by itself before.
  const ended = await api.call('POST', `/improvements/${improvement}/cancel`);
  if (![200, 409].includes(ended.status)) throw new Error(`cancel: ${ended.status} ${JSON.stringify(ended.body)}`);
  ids.add('model-name', name);
  const { id: distillation } = await good('POST', `/models/${name}/distil`, { teacher: 'acme/chat' });
  ids.add('improvement', improvement);
  ids.add('distillation', distillation);
  for (const model of [BASE, 'fastino/gliner2-base-v1', started.id, ...HOSTED]) ids.add('model', model);
  for (const stream of [`feedback-${called['inference_id']}`, `dataset-${version.id}`]) ids.add('stream', stream);
  for (const number of ['1', '2', 'latest']) ids.add('version', number);
}
