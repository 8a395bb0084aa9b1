import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSignInToken, userIdOf } from '#application/accounts/index.js';
import { HubTokens } from '#application/hub-tokens.js';
import { webhookSecret, webhookSecrets } from '#use-cases/webhooks/webhook-secrets.js';
import { decodeSecret, newApiKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { onServers, placesOnServers, type Places } from '#test/deployments/test-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';
import { compose } from './compose.js';

const [FIRST, SECOND, THIRD] = ['first-'.repeat(8), 'second-'.repeat(8), 'third-'.repeat(8)];
const TEXT = 'Ada lives in London.';

/** The tests follow one system through its rotations, in order. */
describe('a system whose secret is rotated', () => {
  let places: Places | null;
  let dataDir: string;
  let api: TestApi;
  let session: Record<string, string>;
  let key: Record<string, string>;
  let links: readonly string[];
  let inferenceId: string;
  let projectId: string;
  let uploadAddress: string;
  let keyOfSecond: string;
  const bootstrapApiKey = newApiKey();
  const start = async (secretKey: string, secretKeyPrevious: string | null = null): Promise<void> => {
    api = await startTestApi({
      ...{ dataDir, secretKey, secretKeyPrevious, bootstrapApiKey },
      ...places?.settings,
    });
  };

  const settingsWith = (secretKey: string) => new Settings({ dataDir, secretKey, ...places?.settings });
  const statusBy = async (headers: Record<string, string>): Promise<number> =>
    (await api.call('GET', '/projects', undefined, headers)).status;
  const createProject = async (): Promise<string> =>
    (await api.call('POST', '/projects', { name: 'once' }, { ...key, 'idempotency-key': 'once' })).body.id;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-rotation-'));
    places = onServers() ? await placesOnServers() : null;
    await start(FIRST);
    session = { authorization: `Bearer ${api.session}` };
    key = { 'x-api-key': (await api.call('POST', '/create-api-key', { name: 'old' }, session)).body.secret_key };
    const { coordination } = api.application.ports;
    const link = () => createSignInToken(coordination, decodeSecret(FIRST), userIdOf('admin@localhost'));
    links = [await link(), await link(), await link()];
    await new HubTokens(coordination, decodeSecret(FIRST)).keep('v1', 'hf_token');
    projectId = await createProject();
    const call = { model_id: 'anneal/encoder-base-v1', text: TEXT, schema: ['city'] };
    inferenceId = (await api.call('POST', '/inference', call, key)).body.inference_id;
    const rows = { dataset_name: 'rotated', filename: 'rows.jsonl' };
    uploadAddress = (await api.call('POST', '/felix/datasets/upload/url', rows, key)).body.presigned_url;
  });
  afterAll(async () => {
    await api.close();
    await places?.remove();
    await rm(dataDir, { recursive: true });
  });

  const expectAllKept = async (link: string) => {
    expect([await statusBy(key), await statusBy(session), await statusBy({ 'x-api-key': bootstrapApiKey })]).toEqual([
      200, 200, 200,
    ]);
    expect((await api.call('GET', `/sign-in?token=${link}`, undefined, {})).status).toBe(303);
    expect(JSON.stringify((await api.call('GET', `/inferences/${inferenceId}`, undefined, key)).body)).toContain(TEXT);
    expect(await createProject()).toBe(projectId);
  };

  it('refuses the command while it has one secret', async () => {
    await expect(operate(api, 'secret.rotate')).rejects.toThrow(/ANNEAL_SECRET_KEY_PREVIOUS/);
  });

  it('is refused with the new secret alone, before it started with both', async () => {
    await api.close();
    await expect(compose(settingsWith(SECOND))).rejects.toThrow(/not the secret/);
    await start(SECOND, FIRST);
  });

  it('keeps every key, session, link, content, token and request with both secrets', async () => {
    await expectAllKept(links[0]!);
    // The API has another port now; another server's addresses stay.
    const { pathname, search } = new URL(uploadAddress);
    const upload = places ? uploadAddress : api.url + pathname + search;
    expect((await fetch(upload, { method: 'PUT', body: '{"text": "a", "label": "b"}' })).status).toBe(200);
    keyOfSecond = (await api.call('POST', '/create-api-key', { name: 'new' }, session)).body.secret_key;
  });

  it('converts by command the writes of a process that has only the previous secret', async () => {
    const { coordination } = api.application.ports;
    await new HubTokens(coordination, decodeSecret(FIRST)).keep('late', 'hf_late');
    expect(await operate(api, 'secret.rotate')).toEqual([
      { fingerprint: decodeSecret(SECOND).fingerprint, bound: false, books: 0, tokens: 1 },
    ]);
    expect(await new HubTokens(coordination, decodeSecret(SECOND)).find('late')).toBe('hf_late');
  });

  it('records the secret in force on the log, and refuses the previous one', async () => {
    await api.drained();
    const bound = await Array.fromAsync(api.application.ports.eventStore.readStream('log-secret'));
    expect(bound.map(({ data }) => [data['replaced'], data['fingerprint']])).toEqual([
      [decodeSecret(FIRST).fingerprint, decodeSecret(SECOND).fingerprint],
    ]);
    await api.close();
    await expect(compose(settingsWith(FIRST))).rejects.toThrow(/not the secret/);
    await start(THIRD, SECOND);
  });

  it('can be rotated again: data from two secrets ago is kept', async () => {
    await expectAllKept(links[1]!);
  });

  it('keeps all of it with the newest secret alone', async () => {
    await api.close();
    await start(THIRD);
    await expectAllKept(links[2]!);
    expect(await statusBy({ 'x-api-key': keyOfSecond })).toBe(200);
    expect(await new HubTokens(api.application.ports.coordination, decodeSecret(THIRD)).find('v1')).toBe('hf_token');
    const { keys } = (await api.call('GET', '/list-api-keys', undefined, key)).body as {
      keys: { id: string; name: string }[];
    };
    expect(keys.filter(({ name }) => name === 'bootstrap')).toHaveLength(1);
    const old = keys.find(({ name }) => name === 'old')!;
    expect((await api.call('DELETE', '/delete-api-key', { key_id: old.id }, session)).status).toBe(200);
    expect(await statusBy(key)).toBe(401);
    expect((await api.call('POST', '/auth/sign-out', undefined, session)).status).toBe(200);
    expect(await statusBy(session)).toBe(401);
  });
});

it('webhooks are signed with the secret that the endpoint was given, and with the new one', () => {
  const both = decodeSecret(SECOND).accepting(decodeSecret(FIRST));
  expect(webhookSecrets(both, 'w', 1)).toEqual([
    webhookSecret(decodeSecret(SECOND), 'w', 1),
    webhookSecret(decodeSecret(FIRST), 'w', 1),
  ]);
});

it("a folder's secret is rotated by renaming a file", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'anneal-rotation-'));
  const bootstrapApiKey = newApiKey();
  const status = async (api: TestApi) => (await api.call('GET', '/projects')).status;
  const first = await startTestApi({ dataDir, bootstrapApiKey });
  await first.close();
  await rename(join(dataDir, 'secret.key'), join(dataDir, 'secret.key.previous'));
  const second = await startTestApi({ dataDir, bootstrapApiKey });
  expect(await status(second)).toBe(200);
  await second.close();
  await rm(join(dataDir, 'secret.key.previous'));
  const third = await startTestApi({ dataDir, bootstrapApiKey });
  expect(await status(third)).toBe(200);
  await third.close();
  await rm(dataDir, { recursive: true });
});
