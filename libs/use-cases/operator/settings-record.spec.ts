import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkProviders } from '#calls/hosted/providers.js';
import type { ChangedValue, SettingsEvent } from '#domain/settings/index.js';
import { Executor } from '#log/execute.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { decodeSecret } from '#primitives/secrets/index.js';
import { readSettings, SETTINGS } from '#settings/index.js';
import { recordCatalog, recordSettings } from './settings-record.js';

const secret = decodeSecret('s'.repeat(40));
const MODEL = {
  ...{ id: 'acme/chat', label: 'Chat', description: 'A chat model.', family: 'acme', task_type: 'decoder' },
  ...{ context_window: 8192, input_price_per_million: 2, output_price_per_million: 8 },
  ...{ supports_inference: true, supports_training: false, supports_on_demand_inference: false },
  provider: { name: 'acme', model: 'chat' },
};

describe('the record of settings, models, prices and providers', () => {
  let folder: string;
  let store: SqliteEventStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-settings-'));
    store = await openSqliteEventStore({ directory: folder, durability: 'normal' });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  const recording = (key = secret) => ({ application: new Executor(store), secret: key });
  const settings = (env: Readonly<Record<string, string>>, role: 'api' | 'worker' = 'api', key = secret) =>
    recordSettings(recording(key), readSettings(env), role);
  const events = () => Array.fromAsync(store.readAll({ filter: { categories: ['settings'] } }));
  const changes = async (): Promise<readonly (readonly ChangedValue[])[]> =>
    (await events()).map(({ data }) => (data as SettingsEvent['data']).changes);
  const change = (name: string, before: unknown, after: unknown) => ({ name, before, after });

  it('has what differs from the last start of a process of the role, with the user who ran it, and nothing else', async () => {
    await settings({});
    expect(await events()).toEqual([]);
    await settings({ ANNEAL_HUB_URL: 'https://hub.example', ANNEAL_TORCH_PROCESSES: '2' });
    await settings({ ANNEAL_HUB_URL: 'https://hub.example', ANNEAL_TORCH_PROCESSES: '2' });
    await settings({ ANNEAL_TORCH_PROCESSES: '4' });
    expect(await changes()).toEqual([
      [change('ANNEAL_HUB_URL', null, 'https://hub.example'), change('ANNEAL_TORCH_PROCESSES', null, '2')],
      [change('ANNEAL_HUB_URL', 'https://hub.example', null), change('ANNEAL_TORCH_PROCESSES', '2', '4')],
    ]);
    await settings({ ANNEAL_TORCH_PROCESSES: '4' }, 'worker');
    const [first, , other] = await events();
    expect([first!.stream, other!.stream]).toEqual(['settings-api', 'settings-worker']);
    expect(first!.metadata).toMatchObject({ actor: 'system:api', by: expect.any(String), workspaceId: null });
  });

  it('is written once by processes that start at once', async () => {
    const all = Array.from({ length: 8 }, () => settings({ ANNEAL_HUB_URL: 'https://hub.example' }));
    await Promise.all(all);
    expect(await events()).toHaveLength(1);
  });

  const SECRETS: Readonly<Record<string, string>> = {
    ANNEAL_SECRET_KEY: 'hush'.repeat(10),
    ANNEAL_SECRET_KEY_PREVIOUS: 'hush'.repeat(11),
    ANNEAL_BOOTSTRAP_API_KEY: `pio_sk_${'hush'.repeat(10)}`,
    ANNEAL_ADMIN_EMAIL: 'hush@example.com',
    ANNEAL_ADMIN_PASSWORD: 'hush hush hush hush',
    ANNEAL_OIDC_ISSUER: 'https://login.example',
    ANNEAL_OIDC_CLIENT_ID: 'anneal',
    ANNEAL_OIDC_CLIENT_SECRET: 'hush-hush',
    ANNEAL_HUB_TOKEN: 'hf_hush',
    ANNEAL_EVENT_STORE: 'esdb://admin:hush@log.example:2113?tls=true',
    ANNEAL_READ_STORE: 'mongodb://anneal:hush@read.example/anneal',
    ANNEAL_COORDINATION: 'mongodb://anneal:hush@read.example/other',
    ANNEAL_CONTENT_KEYS: 'mongodb://anneal:hush@keys.example/anneal',
    ANNEAL_BUS: 'nats://anneal:hush@bus.example:4222',
    ANNEAL_OBJECT_STORE: 's3://bucket/prefix?secret=hush',
    ANNEAL_AUDIT_WITNESSES: 'https://witness.example/notes?token=hush',
  };

  it('has no secret, and says that one changed', async () => {
    await settings(SECRETS);
    expect(JSON.stringify(await events())).not.toContain('hush');
    const [first] = await changes();
    const named = first!.map(({ name }) => name);
    const bound = ['ANNEAL_SECRET_KEY', 'ANNEAL_SECRET_KEY_PREVIOUS'];
    expect(named).toEqual(
      Object.keys(SECRETS)
        .filter((name) => !bound.includes(name))
        .toSorted(),
    );
    await settings({ ...SECRETS, ANNEAL_HUB_TOKEN: 'hf_hush2', ANNEAL_BUS: 'nats://anneal:hush2@bus.example:4222' });
    const [, second] = await changes();
    const hash = (what: string) => expect.stringMatching(new RegExp(`^${what} #[0-9a-f]{12}$`));
    expect(second).toEqual([
      change('ANNEAL_BUS', hash('nats'), hash('nats')),
      change('ANNEAL_HUB_TOKEN', hash('\\(secret\\)'), hash('\\(secret\\)')),
    ]);
  });

  it('hides every setting whose name says that it is secret', async () => {
    const names = SETTINGS.map(({ name }) => name).filter((name) =>
      /KEY$|SECRET|TOKEN|PASSWORD|EMAIL|PREVIOUS/.test(name),
    );
    // The path of a public key.
    expect(names.filter((name) => !(name in SECRETS))).toEqual(['ANNEAL_AUDIT_SIGNING_KEY']);
  });

  it('has no change while the secret of the installation goes over to another', async () => {
    await settings({ ANNEAL_HUB_TOKEN: 'hf_hush' });
    await settings({ ANNEAL_HUB_TOKEN: 'hf_hush' }, 'api', decodeSecret('t'.repeat(40)).accepting(secret));
    expect(await events()).toHaveLength(1);
  });

  describe('of the files of models and providers', () => {
    const take = async (model: object, acme: object = {}) => {
      const modelCatalog = join(folder, 'models.json');
      await writeFile(modelCatalog, JSON.stringify({ models: [{ ...MODEL, ...model }], aliases: { chat: MODEL.id } }));
      const provider = {
        ...{ style: 'openai', base_url: 'https://acme.example/v1', api_key_env: 'KEY', headers: { 'x-a': 'hush' } },
        ...acme,
      };
      const providers = checkProviders({ providers: { acme: provider } }, { KEY: 'hush', OTHER: 'hush2' });
      await recordCatalog(recording(), { modelCatalog }, providers);
    };

    it('has prices before and after', async () => {
      await take({});
      await take({});
      await take({ input_price_per_million: 3 });
      const [first, second, ...rest] = await changes();
      expect(rest).toEqual([]);
      expect(first).toContainEqual(change('model acme/chat output_price_per_million', null, '8'));
      expect(first).toContainEqual(change('model acme/chat aliases', null, '["chat"]'));
      expect(second).toContainEqual(change('model acme/chat input_price_per_million', '2', '3'));
      expect(second!.map(({ name }) => name).filter((name) => !name.includes('price'))).toEqual([]);
    });

    it('has where a provider is and that its key changed, and neither key nor headers', async () => {
      await take({});
      await take({}, { base_url: 'https://eu.acme.example/v1', api_key_env: 'OTHER' });
      expect(JSON.stringify(await events())).not.toContain('hush');
      const hash = expect.stringMatching(/^\(secret\) #/);
      expect((await changes())[1]).toEqual([
        change('provider acme baseUrl', 'https://acme.example/v1', 'https://eu.acme.example/v1'),
        change('provider acme key', hash, hash),
      ]);
    });
  });
});
