import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider } from '#domain/dataset/index.js';
import { streamName } from '#domain/streams.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';

describe('deleting an evaluation', () => {
  let api: TestApi;
  let client: TrainingClient;
  let workspaceId: string;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'held out', filename: 'held.jsonl' }, trips(21));
    const headers = { authorization: `Bearer ${api.session}` };
    workspaceId = (await api.call('GET', '/auth/session', undefined, headers)).body.workspace_id as string;
  });
  afterAll(() => api.close());

  const start = async () =>
    (await api.call('POST', '/felix/evaluations', { base_model: BASE, dataset_name: 'held out' })).body.id as string;
  const remove = (id: string, headers?: Record<string, string>) =>
    api.call('DELETE', `/felix/evaluations/${id}`, undefined, headers);
  const objects = async (id: string) =>
    (await Array.fromAsync(api.application.ports.objectStore.list(`evaluations/${id}/`))).map(({ key }) => key);
  const claims = async () => {
    const state = await api.application.load(datasetDecider, datasetStreamId(workspaceId, 'held out'));
    return state.claims.filter(({ claimantKind }) => claimantKind === 'evaluation').length;
  };

  test('removes its predictions, and it is there no more', async () => {
    const { id } = await client.evaluate({ base_model: BASE, dataset_name: 'held out' });
    expect(await objects(id)).toHaveLength(1);
    const { status, body } = await remove(id);
    expect([status, body]).toEqual([200, { success: true, message: 'the evaluation and its predictions are deleted' }]);
    await eventually(async () => (await objects(id)).length === 0);
    expect((await api.call('GET', `/felix/evaluations/${id}`)).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
    const { body: list } = await api.call('GET', '/felix/evaluations');
    expect((list.evaluations as { id: string }[]).map((each) => each.id)).not.toContain(id);
  });

  test('stops one under way, and lets go of its dataset', async () => {
    const ids = [await start(), await start(), await start()];
    for (const id of ids) expect((await remove(id)).status).toBe(200);
    await api.until(claims, (count) => count === 0);
    // Whatever they were at: the next one, which waits for its turn, finds nothing left of them.
    await client.evaluate({ base_model: BASE, dataset_name: 'held out' });
    for (const id of ids) {
      await eventually(async () => (await objects(id)).length === 0);
      const events = await Array.fromAsync(api.application.ports.eventStore.readStream(streamName('evaluation', id)));
      const types = events.map(({ type }) => type);
      expect(types.slice(types.indexOf('evaluation-deleted.v1') + 1)).not.toContain('evaluation-completed.v1');
    }
  });

  test('is for its own workspace only', async () => {
    const { id } = await client.evaluate({ base_model: BASE, dataset_name: 'held out' });
    const { key } = await api.colleague();
    expect((await remove(id, { 'x-api-key': key })).status).toBe(404);
    expect((await remove('nope')).status).toBe(404);
    expect((await api.call('GET', `/felix/evaluations/${id}`)).status).toBe(200);
  });

  test('does not change what a repeated start is answered', async () => {
    const headers = { 'x-api-key': api.key, 'idempotency-key': 'one evaluation' };
    const again = () => api.call('POST', '/felix/evaluations', { base_model: BASE, dataset_name: 'held out' }, headers);
    const first = await again();
    expect(first.status).toBe(200);
    expect((await remove(first.body.id as string)).status).toBe(200);
    const second = await again();
    expect([second.status, second.body]).toEqual([200, first.body]);
    const other = { base_model: BASE, dataset_name: 'held out', max_examples: 2 };
    expect((await api.call('POST', '/felix/evaluations', other, headers)).status).toBe(422);
  });
});
