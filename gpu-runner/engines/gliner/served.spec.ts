import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importGliner, writeGliner } from '#test/gliner/tiny.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { enginesWith } from '../engines.js';

/** The catalog has an alias of this id, which `/gliner-2` calls. */
const ID = 'fastino/gliner2-base-v1';
const TEXT = '😀 Ada met Bob in Rome.';
const FOUND = {
  person: [
    { text: '😀', start: 0, end: 1 },
    { text: '.', start: 21, end: 22 },
  ],
  city: [
    { text: 'Ada met Bob', start: 2, end: 13 },
    { text: 'in Rome', start: 14, end: 21 },
  ],
};

describe('an imported GLiNER model, without the torch engine', () => {
  let folder: string;
  let api: TestApi;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gliner-api-'));
    const modelsDir = join(folder, 'models');
    await writeGliner(join(folder, 'source'), 'span');
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
    expect(body.models).toMatchObject([{ id: ID, context_window: 96, supports_inference: true }]);
  });

  it('finds entities of the labels of a schema, in code points', async () => {
    const { status, body } = await ask({ schema: ['person', 'city'], include_confidence: true, include_spans: true });
    expect([status, body.warnings]).toEqual([200, undefined]);
    expect(body.result.entities).toMatchObject(FOUND);
    expect(body.result.entities.city[0].confidence).toBeGreaterThan(0.5);
    expect(body.token_usage).toBeGreaterThan(10);
  });

  it('answers POST /gliner-2', async () => {
    const asked = { task: 'extract_entities', text: [TEXT, ''], schema: ['person', 'city'] };
    const { status, body } = await api.call('POST', '/gliner-2', asked);
    const texts = { person: ['😀', '.'], city: ['Ada met Bob', 'in Rome'] };
    expect([status, body.result]).toEqual([200, [{ entities: texts }, { entities: { person: [], city: [] } }]]);
  });

  it.each<[string, object, string[], RegExp]>([
    [
      'classes',
      { entities: ['city'], classifications: [{ task: 'a', labels: ['x', 'y'] }] },
      ['classifications'],
      /it does entities/,
    ],
    ['structures', { structures: { a: ['x::str'] } }, ['structures'], /it does entities/],
    ['relations', { relations: ['a'] }, ['relations'], /it does entities/],
    [
      'more labels than it reads',
      Array.from({ length: 99 }, (_, at) => `label ${at}`),
      [],
      /take more than 62 of 96 tokens; send fewer/,
    ],
    ['a label that has the mark of labels', ['a <<ENT>> b'], [], /must not contain <<ENT>>/],
  ])('refuses %s by name', async (_, schema, path, message) => {
    const { status, body } = await ask({ schema });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ loc: ['body', 'schema', ...path], msg: expect.stringMatching(message) }]);
  });

  it('is refused as the base of a training', async () => {
    const asked = { base_model: ID, model_name: 'x', datasets: [{ name: 'x' }] };
    const { status, body } = await api.call('POST', '/felix/training-jobs', asked);
    expect([status, body.detail]).toEqual([422, expect.stringContaining('cannot be trained')]);
  });

  it('is evaluated on rows with entities', async () => {
    const row = {
      text: 'Ada met Bob in Rome.',
      entities: [
        ['Ada', 'person'],
        ['Rome', 'city'],
      ],
    };
    await uploadDataset(api, { dataset_name: 'people', filename: 'a.jsonl' }, JSON.stringify(row));
    const { status, metrics } = await new TrainingClient(api).evaluate({ base_model: ID, dataset_name: 'people' });
    expect([status, metrics]).toMatchObject([
      'complete',
      { per_entity: { person: { support: 1 }, city: { support: 1 } } },
    ]);
  });
});
