import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engines } from '#gpu-runner/contract/engines.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { byHeart } from './registration.js';

const BASE = 'test/by-heart';
const BUILT_IN = 'anneal/encoder-base-v1';
const PROJECT_CATALOG = new URL('../../../libs/models/catalog/catalog.json', import.meta.url);
const CITIES = ['Lima', 'Oslo', 'Quito', 'Riga'];

/** The line that `gpu-runner/engines/engines.ts` has for each engine. */
const engines = new Engines([...ENGINES.all, byHeart]);

describe('a second engine', () => {
  let api: TestApi;
  let client: TrainingClient;
  let directory: string;
  let jobId: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'second-engine-'));
    const modelCatalog = join(directory, 'catalog.json');
    await writeFile(modelCatalog, JSON.stringify(await catalogWithBoth()));
    api = await startTestApi({ modelCatalog }, { engines });
    client = new TrainingClient(api);
    const rows = Array.from({ length: 40 }, (_, row) => {
      const city = CITIES[row % CITIES.length]!;
      return JSON.stringify({ text: `Parcel ${row} goes to ${city} today.`, entities: [[city, 'destination']] });
    });
    await uploadDataset(api, { dataset_name: 'parcels', filename: 'rows.jsonl' }, rows.join('\n'));
    const job = await client.start({ base_model: BASE, datasets: [{ name: 'parcels' }] });
    jobId = job.id;
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  /** @returns the texts found, by label */
  const found = async (model_id: string, text: string, schema?: readonly string[]) => {
    const { body } = await api.call('POST', '/inference', { model_id, text, ...(schema && { schema }) });
    const byLabel = Object.entries(body.result.entities as Record<string, { text: string }[]>);
    return Object.fromEntries(byLabel.map(([label, hits]) => [label, hits.map((hit) => hit.text)]));
  };

  it('trains a job, which pins it', async () => {
    const job = await client.ended(jobId);
    expect([job.status, job.error_message]).toEqual(['complete', null]);
    expect(job.metrics).toMatchObject({ f1: 1 });
    const { body } = await api.call('GET', `/events?stream=job-${jobId}`);
    expect(body.events[0].data).toMatchObject({
      engine: { name: 'by-heart', version: '1' },
      baseModel: { id: BASE },
    });
  });

  it('evaluates its own model', async () => {
    await client.ended(jobId);
    const evaluation = await client.evaluate({ base_model: jobId, dataset_name: 'parcels' });
    expect(evaluation).toMatchObject({ status: 'complete', error_message: null, f1_score: 1 });
  });

  it('serves its own model and base model, beside those of the first engine', async () => {
    await client.ended(jobId);
    const text = 'Send it to Quito with Maria Rossi.';
    expect(await found(jobId, text)).toEqual({ destination: ['Quito'] });
    expect(await found(BASE, text, ['destination'])).toEqual({ destination: [] });
    expect(await found(BUILT_IN, text, ['person'])).toEqual({ person: ['Maria Rossi'] });
  });

  it('refuses rows for heads that it does not learn, and leaves their dataset unclaimed', async () => {
    const row = { text: 'Maria met Paul', label: 'news', relations: [{ met: { head: 'Maria', tail: 'Paul' } }] };
    await uploadDataset(api, { dataset_name: 'meetings', filename: 'a.jsonl' }, JSON.stringify(row));
    const datasets = [{ name: 'parcels' }, { name: 'meetings' }];
    const { status, body } = await api.call('POST', '/felix/training-jobs', { base_model: BASE, datasets });
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          loc: ['body', 'datasets', 1, 'name'],
          msg: `names dataset "meetings", whose version 1 has rows with label, labels and relations, which ${BASE} does not learn; upload the rows without label, labels and relations`,
          type: 'not_allowed',
        },
      ],
    ]);
    expect((await api.call('DELETE', '/felix/datasets/meetings')).status).toBe(200);
  });

  it('is not called for a head that it lacks', async () => {
    const asked = { model_id: BASE, text: 'x', schema: { classifications: { mood: ['good', 'bad'] } } };
    const { status, body } = await api.call('POST', '/inference', asked);
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('no classifications head')]);
  });
});

async function catalogWithBoth() {
  const { models } = JSON.parse(await readFile(PROJECT_CATALOG, 'utf8')) as { models: { id: string }[] };
  const encoder = models.find(({ id }) => id === BUILT_IN)!;
  return { models: [...models, { ...encoder, id: BASE, label: 'By heart', family: 'by-heart' }] };
}
