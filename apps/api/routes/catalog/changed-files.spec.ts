import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CatalogFile } from '#models/catalog/entry.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { hostedSettings, PROVIDER_KEY, type HostedSettings } from '#test/support/hosted-settings.js';
import { answersWhole, startScriptedProvider, type ScriptedProvider } from '#test/support/scripted-provider.js';

interface ProvidersFile {
  readonly providers: Readonly<Record<string, object>>;
}

describe('changed files of models, without a restart', () => {
  let provider: ScriptedProvider;
  let settings: HostedSettings;
  let api: TestSystem;
  beforeAll(async () => {
    provider = await startScriptedProvider();
    provider.script(answersWhole('Hello'));
    settings = await hostedSettings(provider.url);
    api = await startTestApi(settings.values);
  });
  afterAll(async () => {
    await api.close();
    await settings.remove();
    await provider.close();
  });

  const call = (model: string) =>
    api.call('POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] });
  const keySent = () => provider.seen.at(-1)!.headers['authorization'];
  const health = async () => (await api.call('GET', '/health', undefined, {})).body.details['model-files'];
  const change = async <File>(path: string, changed: (file: File) => object) =>
    writeFile(path, JSON.stringify(changed(JSON.parse(await readFile(path, 'utf8')) as File)));

  it('sends the new key of a key file', async () => {
    expect((await call('acme/chat')).status).toBe(200);
    expect(keySent()).toBe(`Bearer ${PROVIDER_KEY}`);
    await writeFile(join(dirname(settings.values.providers), 'key'), 'sk-the-next-one');
    await eventually(async () => {
      await call('acme/chat');
      return keySent() === 'Bearer sk-the-next-one';
    });
  });

  it('serves a new model of a new provider, which is named later than the model', async () => {
    const model = { id: 'later/chat', label: 'Later', provider: { name: 'later', model: 'chat-9' } };
    await change(settings.values.modelCatalog, ({ models, ...rest }: CatalogFile) => ({
      ...rest,
      models: [...models, { ...models.find(({ id }) => id === 'acme/chat'), ...model }],
    }));
    expect((await call('later/chat')).status).toBe(404);
    const later = { style: 'openai', base_url: provider.url };
    await change(settings.values.providers, ({ providers }: ProvidersFile) => ({ providers: { ...providers, later } }));
    await eventually(async () => (await call('later/chat')).status === 200);
    expect(provider.seen.at(-1)!.body.model).toBe('chat-9');
  });

  it('keeps the models before while a file is broken, and says so in /health', async () => {
    expect(await health()).toEqual({ status: 'up' });
    const whole = await readFile(settings.values.providers, 'utf8');
    await writeFile(settings.values.providers, whole.slice(0, -10));
    const broken = await eventually(async () => ((await health()).degraded ? health() : null));
    expect(broken).toEqual({
      ...{ status: 'up', degraded: true, since: expect.any(String) },
      reason: 'changed files are not in use; see the log',
    });
    expect((await api.call('GET', '/health/ready', undefined, {})).status).toBe(200);
    expect((await call('later/chat')).status).toBe(200);
    await writeFile(settings.values.providers, whole);
    await eventually(async () => !(await health()).degraded);
  });

  it('serves no model of a provider that was removed', async () => {
    await change(settings.values.providers, ({ providers: { later: _, ...providers } }: ProvidersFile) => ({
      providers,
    }));
    await eventually(async () => (await call('later/chat')).status === 404);
    expect((await call('acme/chat')).status).toBe(200);
  });
});
