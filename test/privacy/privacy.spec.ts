import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey } from '#primitives/secrets/index.js';
import {
  begins,
  hangs,
  refuses,
  startScriptedProvider,
  streams,
  type ScriptedProvider,
} from '#test/support/scripted-provider.js';
import { trips } from '#test/support/trips.js';
import {
  compatibleProbes,
  compatibleProbesHere,
  doingEach,
  embeddingProbes,
  hangingStreams,
  type ProviderProbe,
} from './compatible-probes.js';
import { decoderProbes, ENCODER, encoderProbes, HOSTED, unique, type Probe } from './probes.js';
import { search } from './search.js';
import { WatchedSystem } from './system.js';

const ADMIN = { email: 'ada@example.com', password: `${unique()} horse` };
const PROVIDER_KEY = unique();

/**
 * A whole process, with all that it writes in one folder: calls of every kind with `store: false`, refused, failed and cut short
 * by its death among them, and then a search of every file for what was sent.
 */
describe('calls with store false', () => {
  const key = newApiKey();
  let system: WatchedSystem;
  let provider: ScriptedProvider;
  let configuration: string;
  let settings: Record<string, string>;
  let ownModel: string;
  const secrets = new Map<string, string>();
  const unstored: Probe[] = [];
  const kept: Probe[] = [];

  beforeAll(async () => {
    system = await WatchedSystem.create();
    provider = await startScriptedProvider();
    configuration = await mkdtemp(join(tmpdir(), 'anneal-privacy-settings-'));
    settings = await configure(configuration, provider);
    await system.start(settings);
    ownModel = await cancelledJob();
  });
  afterAll(async () => {
    await system.remove();
    await provider.close();
    await rm(configuration, { recursive: true, force: true });
  });

  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = { 'x-api-key': key }) =>
    fetch(system.url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const json = async (response: Response) => (await response.json()) as Record<string, string>;

  /** A trained model that is in the catalog of its owner, and can serve nothing. */
  async function cancelledJob(): Promise<string> {
    const offered = await json(await call('POST', '/felix/datasets/upload/url', { dataset_name: 'trips' }));
    await fetch(offered['presigned_url']!, { method: 'PUT', body: trips(200) });
    await call('POST', '/felix/datasets/upload/process', { dataset_id: offered['dataset_id'] });
    for (;;) {
      const { status } = await json(await call('GET', '/felix/datasets/trips/1'));
      if (status === 'ready') break;
      if (status === 'failed') throw new Error('the dataset failed');
    }
    const job = await json(
      await call('POST', '/felix/training-jobs', { base_model: ENCODER, datasets: [{ name: 'trips' }], nr_epochs: 50 }),
    );
    await call('POST', `/felix/training-jobs/${job['id']}/stop`);
    return job['id']!;
  }

  async function make(probes: readonly Probe[]): Promise<void> {
    for (const probe of probes) await makeOne(probe);
  }

  async function makeOne({ name, path, body, statuses }: Probe): Promise<void> {
    const { status } = await call('POST', path, body);
    expect({ name, allowed: statuses.includes(status) ? status : statuses }).toEqual({ name, allowed: status });
  }

  /** Runs calls one after another, because a provider's script is in order. */
  async function askProvider(probes: readonly Probe[]): Promise<void> {
    provider.script(
      (response, request) => streams(`an echo of ${request.body.messages.at(-1).content}`)(response, request),
      refuses(400, { error: { message: 'no' } }),
      hangs,
      begins('half an answer', 'cut'),
    );
    await make(probes);
  }

  async function askProviderEach(probes: readonly ProviderProbe[]): Promise<void> {
    provider.script(doingEach(probes, hangs));
    const { hanging = [], others = [] } = Object.groupBy(probes, ({ act }) => (act === hangs ? 'hanging' : 'others'));
    await Promise.all([make(others), ...hanging.map(makeOne)]);
  }

  it('are made in every way: answered, refused and failed', async () => {
    unstored.push(...encoderProbes(false, ownModel));
    await make(unstored);
    const hosted = decoderProbes(false);
    unstored.push(...hosted);
    await askProvider(hosted);
    const text = unique();
    unstored.push({ name: 'no JSON', path: '/inference', text, body: null, statuses: [400] });
    expect((await call('POST', '/inference', `{"store":false,"text":"${text}`)).status).toBe(400);
    expect((await call('POST', `/inference/${text}`, { store: false, text })).status).toBe(404);
  });

  it('are made on the compatible routes in every way: answered, refused and failed', async () => {
    const here = compatibleProbesHere(false);
    const there = [...compatibleProbes(false), ...embeddingProbes(false)];
    unstored.push(...here, ...there);
    await make(here);
    await askProviderEach(there);
  });

  it('are kept without that field', async () => {
    kept.push(...encoderProbes(undefined, ownModel));
    await make(kept);
    const hosted = decoderProbes(undefined);
    kept.push(...hosted);
    await askProvider(hosted);
    const here = compatibleProbesHere(undefined);
    const there = [...compatibleProbes(undefined), ...embeddingProbes(undefined)];
    kept.push(...here, ...there);
    await make(here);
    await askProviderEach(there);
  });

  it('use secrets as their credentials', async () => {
    secrets.set('the first key', key).set('a password', ADMIN.password).set("a provider's key", PROVIDER_KEY);
    const signedIn = await json(await call('POST', '/auth/sign-in', ADMIN, {}));
    secrets.set('a session', signedIn['session_token']!);
    const session = { authorization: `Bearer ${signedIn['session_token']}` };
    const made = await json(await call('POST', '/create-api-key', { name: 'second' }, session));
    secrets.set('a new key', made['secret_key']!);
    expect((await call('GET', '/list-api-keys', undefined, { 'x-api-key': made['secret_key']! })).status).toBe(200);
    for (const [name, unknown] of [
      ['an unknown key', newApiKey()],
      ['an unknown session', unique()],
    ] as const) {
      secrets.set(name, unknown);
      expect((await call('GET', '/projects', undefined, { authorization: `Bearer ${unknown}` })).status).toBe(401);
    }
    secrets.set('a wrong password', unique());
    const wrong = { ...ADMIN, password: secrets.get('a wrong password') };
    expect((await call('POST', '/auth/sign-in', wrong, {})).status).toBe(401);
    // The hub is not there: the token goes no further than here.
    secrets.set('a token of the hub', `hf_${unique()}`);
    const hub = {
      hf_token: secrets.get('a token of the hub'),
      repo_id: 'a/b',
      dataset_name: 'pulled',
      dataset_type: 'ner',
    };
    for (const path of ['preview-from-hub', 'pull-from-hub', 'trips/1/push-to-hub'])
      expect((await call('POST', `/felix/datasets/${path}`, hub)).status).not.toBe(500);
  });

  it('are in flight when the process is killed', async () => {
    const streams = hangingStreams();
    provider.script(doingEach(streams, begins('half an answer', 'hang')));
    const [hosted] = decoderProbes(false);
    const asked = provider.seen.length;
    const begun = [];
    // Started one after another, as the provider's script is; each has begun.
    for (const { path, body } of streams) begun.push(await call('POST', path, body));
    expect(begun.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const cut = [hosted!, ...encoderProbes(false, null), ...encoderProbes(false, null)];
    unstored.push(...streams, ...cut);
    const answers = Promise.allSettled(cut.map(({ path, body }) => call('POST', path, body)));
    while (provider.seen.length === asked + streams.length) await new Promise(setImmediate);
    await system.end('SIGKILL');
    await answers;
  });

  it('are searched for by a search that finds stored texts', async () => {
    const found = new Set(
      (
        await search(
          system.directory,
          kept.map(({ text }) => text),
        )
      ).map(({ text }) => text),
    );
    const names = (probes: readonly Probe[]) => probes.map(({ name }) => name);
    const recorded = kept.filter(({ statuses }) => statuses.some((status) => [200, 400, 409, 503].includes(status)));
    const expected = recorded.filter(({ name }) => name !== 'a warm-up');
    expect(names(expected.filter(({ text }) => !found.has(text)))).toEqual([]);
    expect(expected.length).toBeGreaterThan(4);
  });

  it.each(['right after its death', 'after a new start, and an orderly end'])(
    'leave no content in any file, database or log, %s',
    async (when) => {
      if (when !== 'right after its death') {
        await system.start(settings);
        expect((await call('GET', '/inferences?limit=500')).status).toBe(200);
        await system.end('SIGTERM');
      }
      const found = await search(
        system.directory,
        unstored.map(({ text }) => text),
      );
      const named = found.map(({ text, ...where }) => ({
        name: unstored.find((one) => one.text === text)!.name,
        ...where,
      }));
      expect(named).toEqual([]);
    },
  );

  it('leave no secret in any of them either', async () => {
    const found = await search(system.directory, [...secrets.values()]);
    const names = new Map([...secrets].map(([name, secret]) => [secret, name]));
    expect(found.map(({ text, ...where }) => ({ name: names.get(text), ...where }))).toEqual([]);
  });

  async function configure(folder: string, { url }: ScriptedProvider): Promise<Record<string, string>> {
    const price = { input_price_per_million: 1, output_price_per_million: 2 };
    const uses = { supports_inference: true, supports_on_demand_inference: false };
    const model = (id: string, task_type: string) => ({
      ...{ id, label: id, description: id, task_type, family: 'test', multilingual: false, context_window: 8192 },
      ...{ ...price, ...uses, deprecated: false },
    });
    const models = [
      {
        ...model(ENCODER, 'encoder'),
        ...{ context_window: 50_000, supports_training: true, supports_on_demand_inference: true },
      },
      { ...model(HOSTED, 'decoder'), supports_training: false, provider: { name: 'scripted', model: 'chat' } },
      {
        ...model('hosted/embed', 'embedding'),
        supports_training: false,
        provider: { name: 'scripted', model: 'embed' },
      },
      { ...model('anneal/embedder-base-v1', 'embedding'), supports_training: false },
    ];
    const scripted = {
      style: 'openai',
      base_url: url,
      api_key_env: 'SCRIPTED_KEY',
      ...{ first_byte_timeout_ms: 500, total_timeout_ms: 1_500, max_retries: 0 },
      // Calls of this provider fail more often than they succeed.
      circuit_failure_percent: 100,
    };
    const [catalog, providers] = [join(folder, 'catalog.json'), join(folder, 'providers.json')];
    await writeFile(catalog, JSON.stringify({ models, aliases: {} }));
    await writeFile(providers, JSON.stringify({ providers: { scripted } }));
    return {
      ...{ ANNEAL_BOOTSTRAP_API_KEY: key, ANNEAL_ADMIN_EMAIL: ADMIN.email, ANNEAL_ADMIN_PASSWORD: ADMIN.password },
      ...{ ANNEAL_MODEL_CATALOG: catalog, ANNEAL_PROVIDERS: providers, SCRIPTED_KEY: PROVIDER_KEY },
      ...{ ANNEAL_HUB_URL: 'http://127.0.0.1:9', ANNEAL_RATE_LIMITS: 'off' },
    };
  }
});
