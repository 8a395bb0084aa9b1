import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountBook } from '#application/accounts/index.js';
import { systemContext } from '#log/context.js';
import { teamDecider } from '#domain/team/index.js';
import { readCatalog } from '#models/catalog/read.js';
import { hostedSettings } from '#test/support/hosted-settings.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';

const BUILT_IN = 'anneal/encoder-base-v1';

describe("an operator's catalog", () => {
  let directory: string;
  let api: TestSystem;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-catalog-'));
  });
  afterEach(() => api.close());
  afterAll(() => rm(directory, { recursive: true }));

  /** The built-in encoder, otherwise than it comes. */
  async function startWith(fields: object): Promise<void> {
    const modelCatalog = join(directory, 'models.json');
    const models = [{ ...readCatalog().entries[0], ...fields }];
    await writeFile(modelCatalog, JSON.stringify({ models, aliases: { known: BUILT_IN } }));
    api = await startTestApi({ modelCatalog });
  }

  async function setRollout(rollout: string, enabled: boolean): Promise<void> {
    const session = await api.call('GET', '/auth/session', undefined, { authorization: `Bearer ${api.session}` });
    const { team_id: teamId } = session.body as { team_id: string };
    const command = { type: 'set-team-rollout', teamId, rollout, enabled } as const;
    await api.application.execute(teamDecider, teamId, command, systemContext('test', null));
    api.app.get(AccountBook).drop(teamId);
  }

  /** Statuses of every way to name a model. */
  async function statuses(id: string) {
    const asked = [
      await api.call('GET', `/v1/models/${encodeURIComponent(id)}`),
      await api.call('POST', '/inference', { model_id: id, text: 'Ada', schema: ['person'] }),
      await api.call('POST', '/felix/training-jobs', { model_name: 'm', base_model: id, datasets: [{ name: 'none' }] }),
      await api.call('POST', '/felix/evaluations', { base_model: id, dataset_name: 'none' }),
    ];
    return asked.map(({ status, body }) => [status, /model/.test(JSON.stringify(body))]);
  }

  it('hidden: a model is neither listed nor usable until the workspace has the rollout', async () => {
    await startWith({ hidden: true, rollout: 'early' });
    expect((await api.call('GET', '/base-models')).body.models).toEqual([]);
    expect((await api.call('GET', '/v1/models')).body.data).toEqual([]);
    const missing = Array(4).fill([404, true]);
    for (const id of [BUILT_IN, 'known', `${BUILT_IN}-20261120`]) expect(await statuses(id)).toEqual(missing);

    await setRollout('early', true);
    expect((await api.call('GET', '/base-models')).body.models).toHaveLength(1);
    expect((await api.call('GET', '/v1/models')).body.data).toHaveLength(1);
    const [model, inference] = await statuses(BUILT_IN);
    expect([model![0], inference![0]]).toEqual([200, 200]);

    await setRollout('early', false);
    expect(await statuses(BUILT_IN)).toEqual(missing);
  });

  it('gated: a model is listed without its four prices, and is usable', async () => {
    await startWith({ gated: true, rollout: 'rates' });
    const prices = async () => {
      const [model] = (await api.call('GET', '/base-models')).body.models;
      return ['input', 'output', 'cache_read', 'cache_write'].map((kind) => model[`${kind}_price_per_million`]);
    };
    expect(await prices()).toEqual([null, null, null, null]);
    expect((await statuses(BUILT_IN))[1]![0]).toBe(200);
    await setRollout('rates', true);
    expect(await prices()).toEqual([0.15, 0.15, 0.15, 0.15]);
  });

  it('models of a configured provider are listed with their prices, and refuse unsupported operations', async () => {
    const hosted = await hostedSettings('http://127.0.0.1:9');
    api = await startTestApi(hosted.values);
    const { models } = (await api.call('GET', '/base-models?task_type=decoder')).body;
    expect(models.map(({ id }: { id: string }) => id)).not.toContain('acme/secret');
    expect(models[0]).toMatchObject({ id: 'acme/chat', cache_read_price_per_million: 0.2, supports_training: false });
    const { data } = (await api.call('GET', '/v1/models')).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([BUILT_IN, 'acme/chat']));
    const [model, , training] = await statuses('acme/chat');
    expect([model![0], training![0]]).toEqual([200, 422]);
    expect(await statuses('acme/secret')).toEqual(Array(4).fill([404, true]));
    const messages = [{ role: 'user', content: 'Hello' }];
    const call = (model_id: string) => api.call('POST', '/inference', { model_id, task: 'generate', messages });
    expect((await call('acme/secret')).status).toBe(404);
    expect((await call('acme/train-only')).status).toBe(409);
    await hosted.remove();
  });

  it('shows the fields of the interface, and no operator settings', async () => {
    await startWith({ family: 'mine', multilingual: true, blocked_regions: ['KP'] });
    const [model] = (await api.call('GET', '/base-models')).body.models;
    expect(model).toMatchObject({ id: BUILT_IN, family: 'mine', multilingual: true });
    for (const field of ['instruct', 'hidden', 'gated', 'rollout', 'provider', 'blocked_regions'])
      expect(model).not.toHaveProperty(field);
  });
});
