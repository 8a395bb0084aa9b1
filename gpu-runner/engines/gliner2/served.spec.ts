import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importGliner } from '#test/gliner/tiny.js';
import { answers, writeGliner2 } from '#test/gliner2/tiny.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { enginesWith } from '../engines.js';

/** The catalog has an alias of this id, which `/gliner-2` calls. */
const ID = 'fastino/gliner2-base-v1';
const TEXT = 'Ada met Bob in Rome.';

describe('an imported GLiNER2 model, without the torch engine', () => {
  let folder: string;
  let api: TestApi;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gliner2-api-'));
    const modelsDir = join(folder, 'models');
    await writeGliner2(join(folder, 'source'), 'lstm');
    await importGliner(join(folder, 'source'), ID, modelsDir);
    api = await startTestApi({ modelsDir }, { engines: enginesWith([modelsDir], []) });
  });
  afterAll(async () => {
    await api?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (body: object) => api.call('POST', '/inference', { model_id: ID, text: TEXT, ...body });

  it('is listed as callable and not trainable', async () => {
    const { body } = await api.call('GET', '/base-models?task_type=encoder&supports_training=false');
    expect(body.models).toMatchObject([
      { id: ID, context_window: 320, supports_inference: true, description: expect.stringContaining('onnxruntime') },
    ]);
  });

  it('answers all heads of a schema in one call', async () => {
    const schema = {
      entities: ['person', 'city', 'date of birth'],
      classifications: [{ task: 'mood', labels: ['asked', 'told', 'sung'] }],
      structures: {
        home: {
          fields: [
            { name: 'who', dtype: 'str' },
            { name: 'where', dtype: 'list', threshold: 0.3 },
            { name: 'kind', dtype: 'str', choices: ['flat', 'House', 'kind'], threshold: 0.1 },
            {
              name: 'rooms',
              dtype: 'list',
              choices: ['one', 'two', 'flat'],
              description: 'how many rooms',
              threshold: 0.1,
            },
          ],
        },
      },
      relations: ['lives in'],
    };
    const { status, body } = await ask({ schema, threshold: 0.5, include_confidence: true, include_spans: true });
    expect([status, body.warnings]).toEqual([200, undefined]);
    const { lstm } = await answers();
    const { result: expected } = lstm.find(({ text, schema: asked }) => text === TEXT && asked.relations?.[0]?.head)!;
    expect(Object.values(expected.entities!).flat().length).toBeGreaterThan(1);
    const places = (hits: readonly { start?: number; end?: number }[]) => hits.map(({ start, end }) => [start, end]);
    for (const [label, hits] of Object.entries(expected.entities!))
      expect([label, places(body.result.entities[label])]).toEqual([label, places(hits)]);
    expect(body.result.mood.label).toBe(expected.classifications!['mood']![0]!.label);
    expect(body.result.home).toHaveLength(expected.structures!['home']!.length);
    expect(body.result.home[0].who.text).toBe(expected.structures!['home']![0]!['who']![0]!.text);
    const pairs = body.result.relation_extraction['lives in'];
    expect(pairs.map(({ head, tail }: { head: object; tail: object }) => places([head, tail]))).toEqual(
      expected.relations!['lives in']!.map(({ head, tail }) => places([head, tail])),
    );
    expect(body.token_usage).toBeGreaterThan(10);
  });

  it('answers POST /gliner-2', async () => {
    const asked = { task: 'classify_text', text: [TEXT, ''], schema: { categories: ['asked', 'told'] } };
    const { status, body } = await api.call('POST', '/gliner-2', asked);
    expect([status, body.result.length]).toEqual([200, 2]);
  });

  it('refuses a schema that leaves no room for a text', async () => {
    const { status, body } = await ask({ schema: Array.from({ length: 99 }, (_, at) => `label ${at}`) });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      {
        loc: ['body', 'schema'],
        msg: expect.stringMatching(/too long for the model: it takes more than 288 of 320 tokens/),
      },
    ]);
  });

  it('is refused as the base of a training', async () => {
    const asked = { base_model: ID, model_name: 'x', datasets: [{ name: 'x' }] };
    const { status, body } = await api.call('POST', '/felix/training-jobs', asked);
    expect([status, body.detail]).toEqual([422, expect.stringContaining('cannot be trained')]);
  });

  it('is evaluated on rows of all heads', async () => {
    const row = {
      text: TEXT,
      label: 'told',
      entities: [
        ['Ada', 'person'],
        ['Rome', 'city'],
      ],
      json_structures: [{ home: { who: 'Ada', where: 'Rome' } }],
      relations: [{ met: { head: 'Ada', tail: 'Bob' } }],
    };
    const rows = [row, { text: 'Ask Bob.', label: 'asked' }];
    await uploadDataset(
      api,
      { dataset_name: 'people', filename: 'a.jsonl' },
      rows.map((each) => JSON.stringify(each)).join('\n'),
    );
    const { status, metrics } = await new TrainingClient(api).evaluate({ base_model: ID, dataset_name: 'people' });
    expect([status, metrics]).toMatchObject([
      'complete',
      { per_entity: { person: { support: 1 }, asked: { support: 1 } } },
    ]);
    expect(Object.keys(metrics!.heads)).toEqual(['entities', 'classification', 'structures', 'relations']);
  });
});
