import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';

describe('a model that is trained with a name', () => {
  let api: TestApi;
  let client: TrainingClient;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'trips' }, trips(60));
  });
  afterAll(() => api.close());

  const start = (order: object) =>
    client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1, ...order });
  const call = (model_id: string) => api.call('POST', '/inference', { model_id, text: 'Hana flies to Rome' });
  const named = async (name: string) => (await api.call('GET', `/models/${name}`)).body;

  it('is called by that name: the first is in use, a later one is the candidate', async () => {
    const first = await start({ model_name: 'Trip finder' });
    expect(first).toMatchObject({ model_name: 'Trip finder', named_model: 'trip-finder' });
    const early = await call('trip-finder');
    expect([200, 409]).toContain(early.status);
    await client.ended(first.id);
    // A process looks at a job at most once a second; until then it is told to be running (409), never to be missing.
    for (const id of ['trip-finder', 'Trip finder']) {
      const { status } = await api.until(
        () => call(id),
        (answer) => answer.status !== 409,
      );
      expect([id, status]).toEqual([id, 200]);
    }
    const inUse = await api.until(
      () => named('trip-finder'),
      ({ version }) => version === 1,
    );
    expect(inUse).toMatchObject({ model_id: first.id, created_by: 'system:trained-names' });
    const second = await start({ model_name: 'trip-finder' });
    await client.ended(second.id);
    const both = await api.until(
      () => named('trip-finder'),
      ({ labels }) => labels?.candidate === 2,
    );
    expect(both).toMatchObject({ version: 1, model_id: first.id });
    const { body } = await call('trip-finder@candidate');
    expect((await api.call('GET', `/inferences/${body.inference_id}`)).body).toMatchObject({
      ...{ training_job_id: second.id, model_name: 'trip-finder', model_version: 2 },
    });
  });

  it('keeps its versions as a person gives the name as well, as programs did before', async () => {
    const { id } = await start({ model_name: 'claimed' });
    await client.ended(id);
    await api.until(
      () => named('claimed'),
      ({ version }) => version === 1,
    );
    const created = await api.call('POST', '/models', { name: 'claimed', description: 'Trips' });
    expect([created.status, created.body]).toEqual([
      200,
      expect.objectContaining({ version: 1, description: 'Trips', created_by: expect.stringMatching(/^key:/) }),
    ]);
    const added = await api.call('POST', '/models/claimed/versions', { training_job_id: id });
    expect([added.status, added.body.versions.length]).toEqual([200, 1]);
    expect((await api.call('POST', '/models', { name: 'claimed' })).status).toBe(409);
  });

  it('gets no name without one, or by one in a script that names cannot be written in', async () => {
    for (const model_name of [null, '日本']) expect((await start({ model_name })).named_model).toBeNull();
  });
});
