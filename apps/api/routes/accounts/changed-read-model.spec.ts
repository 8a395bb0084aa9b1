import { onServers } from '#test/deployments/test-api.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { ReadModelFile } from '#test/support/read-model-file.js';
import { KeyGate } from '#use-cases/limits/key-gate.js';
import { Authenticator } from '../../edge/auth/authenticator.js';

const ENCODER = 'anneal/encoder-base-v1';
const EMBEDDER = 'anneal/embedder-base-v1';

// A read model on MongoDB is not changed here: commands see both through one port.
(onServers() ? describe.skip : describe)('API keys of which the read model was changed', () => {
  let api: TestSystem;
  let signedIn: Record<string, string>;
  let keys: ReadModelFile;
  beforeAll(async () => {
    api = await startTestApi();
    signedIn = { authorization: `Bearer ${api.session}` };
    keys = new ReadModelFile(api, 'api-keys');
  });
  afterAll(() => api.close());

  const make = async (name: string, limits: object = {}) => {
    const { body } = await api.call('POST', '/create-api-key', { name, ...limits }, signedIn);
    await api.drained();
    return { id: body.id as string, key: body.secret_key as string };
  };
  const works = async (key: string) => (await api.call('GET', '/projects', undefined, { 'x-api-key': key })).status;

  it('are revoked by their ids, and no other one in their place', async () => {
    const [stolen, other] = [await make('stolen'), await make('other')];
    const { keyHash } = await keys.documentOf(other.id);
    await keys.change(stolen.id, { keyHash: keyHash! });
    expect((await api.call('DELETE', '/delete-api-key', { key_id: stolen.id }, signedIn)).status).toBe(200);
    expect([await works(stolen.key), await works(other.key)]).toEqual([401, 200]);
  });

  it('are limited as the log has them, also where a worker calls in their name', async () => {
    const made = await make('limited', { models: [ENCODER] });
    const { limits: _, ...caller } = await api.app.get(Authenticator).authenticate({ kind: 'key', key: made.key });
    await keys.change(made.id, { limits: { models: [ENCODER, EMBEDDER] } });
    await expect(api.app.get(KeyGate).requireModel(caller, EMBEDDER)).rejects.toThrow('may not call model');
    await api.app.get(KeyGate).requireModel(caller, ENCODER);
  });
});
