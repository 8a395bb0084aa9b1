import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import type { TrainingJobRecord } from './reading/responses.js';

const BASE = 'anneal/encoder-base-v1';
const PLAIN = { include_confidence: false, include_spans: false };
const TEXT = 'The University of Vienna opens today, and there is rain in Bergen.';
const ENTITIES = ['school', 'town'];

/** JSONL. Three rows a town: its university and a name in that name, the town alone, and nothing. */
const rowsOf = (towns: readonly string[]): string =>
  towns
    .flatMap((town) => [
      {
        text: `The University of ${town} opens today.`,
        entities: [
          [`University of ${town}`, 'school'],
          [town, 'town'],
        ],
      },
      { text: `There is rain in ${town}.`, entities: [[town, 'town']] },
      { text: 'Nothing opens today.', entities: [] },
    ])
    .map((row) => JSON.stringify(row))
    .join('\n');
const TOWNS = ['Lisbon', 'Ghent', 'Porto', 'Turin', 'Malaga', 'Nantes', 'Kyoto', 'Davos', 'Tampere', 'Zadar', 'Lyon'];
const HELD_OUT = ['Vienna', 'Bergen', 'Split', 'Kraków'];

describe('a model trained on nested spans', () => {
  let api: TestApi;
  let client: TrainingClient;
  let job: TrainingJobRecord;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'towns', filename: 'a.jsonl' }, rowsOf([...TOWNS, ...TOWNS]));
    await uploadDataset(api, { dataset_name: 'held out', filename: 'a.jsonl' }, rowsOf(HELD_OUT));
    const { id } = await client.start({ base_model: BASE, datasets: [{ name: 'towns' }], nr_epochs: 6 });
    job = await client.ended(id);
  });
  afterAll(() => api.close());

  const infer = (model_id: string, schema: unknown) =>
    api.call('POST', '/inference', { model_id, text: TEXT, schema, ...PLAIN });

  it('returns both spans with flat_ner: false, and the longest otherwise', async () => {
    const { body } = await infer(job.id, { entities: ENTITIES, flat_ner: false });
    expect([body.result, body.warnings]).toEqual([
      { entities: { school: ['University of Vienna'], town: ['Vienna', 'Bergen'] } },
      undefined,
    ]);
    const { body: flat } = await infer(job.id, ENTITIES);
    expect(flat.result).toEqual({ entities: { school: ['University of Vienna'], town: ['Bergen'] } });
  });

  it('is measured by all spans, and its log says so', async () => {
    const measured = await client.evaluate({ base_model: job.id, dataset_name: 'held out' });
    expect(measured.metrics).toMatchObject({ per_entity: { school: { support: 4 }, town: { support: 8 } } });
    expect(measured.f1).toBeGreaterThan(0.9);
    const { body } = await api.call('GET', `/felix/training-jobs/${job.id}/logs`);
    expect(body.logs.map(({ message }: { message: string }) => message)).toContainEqual(
      expect.stringMatching(/nested or overlapping spans are learned in 1 further layer/),
    );
  });

  it('answers chat completions by the same schema', async () => {
    const { body } = await api.call('POST', '/v1/chat/completions', {
      ...{
        model: job.id,
        messages: [{ role: 'user', content: TEXT }],
        schema: { entities: ENTITIES, flat_ner: false },
      },
      ...PLAIN,
    });
    expect(JSON.parse(body.choices[0].message.content)).toEqual({
      entities: { school: ['University of Vienna'], town: ['Vienna', 'Bergen'] },
    });
  });

  it('differs from the base, which warns that it learned none', async () => {
    const { body } = await infer(BASE, { entities: ['city'], flat_ner: false });
    expect(body.warnings).toEqual([{ code: 'nested_spans', message: expect.stringContaining('Train a model') }]);
  });
});
