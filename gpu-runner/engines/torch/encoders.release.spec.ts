import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrainingJobRecord } from '#apps/api/routes/training-jobs/reading/responses.js';
import { importModel } from '#models/imported/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { run } from '#test/servers/tools.js';
import { eventually } from '#test/support/eventually.js';
import { TrainingClient } from '#test/support/training-client.js';
import { describeWith, torchForTests } from '#test/torch/environment.js';
import { miniLM } from '#test/torch/minilm.js';
import { makeTinyEncoders } from '#test/torch/tiny-encoder.js';
import { enginesWith } from '../engines.js';

const TINY = 'test/tiny-bert';
const MINILM = 'test/minilm-l6';
/** The catalog has an alias of this id. */
const GLINER2 = 'fastino/gliner2-base-v1';
/** So many that a tiny random model knows its rows on any processor. */
const EPOCHS = 40;
const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gus', 'Hana'];
const CITIES = ['Paris', 'Lyon', 'Ghent', 'Oslo', 'Turin', 'Porto', 'Basel', 'Cork'];
/** Sentences about a name in several words, so that a held-out one is learned in others. */
const SENTENCES = [
  { label: 'asked', of: (name: string, city: string) => `😀 Does ${name} live in ${city}?` },
  { label: 'asked', of: (name: string, city: string) => `Say, does ${name} live in ${city}?` },
  { label: 'asked', of: (name: string, city: string) => `Does ${name} still live in ${city}?` },
  { label: 'told', of: (name: string, city: string) => `${name} lives in ${city} now.` },
  { label: 'told', of: (name: string, city: string) => `Now ${name} lives in ${city}.` },
  { label: 'told', of: (name: string, city: string) => `${name} still lives in ${city}.` },
];
/** Rows that are labelled for every head. */
const rows = NAMES.flatMap((name, at) => {
  const city = CITIES[at]!;
  const labels = {
    entities: [
      [name, 'person'],
      [city, 'city'],
    ],
    json_structures: [{ home: { who: name, where: city } }],
    relations: [{ 'lives in': { head: name, tail: city } }],
  };
  return SENTENCES.map(({ label, of }) => ({ text: of(name, city), label, ...labels }));
});
const ASKED = '😀 Does Eve live in Turin?';
const ANSWER = {
  entities: { person: [{ text: 'Eve', start: 7, end: 10 }], city: [{ text: 'Turin', start: 19, end: 24 }] },
  classification: { label: 'asked' },
  home: [{ who: { text: 'Eve' }, where: { text: 'Turin' } }],
  relation_extraction: { 'lives in': [{ head: { text: 'Eve' }, tail: { text: 'Turin' } }] },
};
const TALK = {
  animals: [
    'The cat sleeps.',
    'A horse runs.',
    'My dog barks.',
    'Birds sing at dawn.',
    'The lion hunts.',
    'Cows graze.',
  ],
  weather: ['It rains a lot.', 'Snow fell.', 'A storm is coming.', 'The sun shines.', 'It is windy.', 'Fog lies here.'],
};
const jsonl = (all: readonly object[]) => all.map((row) => JSON.stringify(row)).join('\n');

/** A result in which confidences may differ by rounding. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, each: unknown) =>
    key === 'confidence' ? expect.closeTo(each as number, 3) : each,
  );

const needed = async () => {
  const torch = await torchForTests();
  return { ...torch, weights: await miniLM(torch.python) };
};

await describeWith('encoders', needed, ({ enginesDir, python, weights }) => {
  let folder: string;
  let api: TestApi;
  let client: TrainingClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-torch-'));
    const modelsDir = join(folder, 'models');
    const tiny = { plain: join(folder, 'plain'), gliner2: join(folder, 'gliner2') };
    await Promise.all(Object.values(tiny).map((path) => mkdir(path)));
    await makeTinyEncoders(python, tiny);
    for (const [id, source] of Object.entries({ [TINY]: tiny.plain, [GLINER2]: tiny.gliner2, [MINILM]: weights }))
      await Array.fromAsync(importModel(source, { id, licence: null }, modelsDir));
    api = await startTestApi({ modelsDir, enginesDir }, { engines: enginesWith([modelsDir], [enginesDir]) });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'homes', filename: 'a.jsonl' }, jsonl(rows));
  });
  afterAll(async () => {
    await api?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** On a busy machine the weights load for longer than a call waits, which is answered with 425 until they are there. */
  const ask = (body: object) =>
    eventually(
      () => api.call('POST', '/inference', body),
      ({ status }) => status !== 425,
    );
  const train = async (body: object): Promise<TrainingJobRecord> => {
    const { id } = await client.start({ early_stopping_patience: 0, ...body });
    return client.ended(id);
  };

  it('that were imported are listed as trainable, but not callable', async () => {
    const { body } = await api.call('GET', '/base-models?task_type=encoder&supports_inference=false');
    expect(body.models ?? body).toEqual([
      expect.objectContaining({ id: MINILM, context_window: 512, supports_training: true }),
      expect.objectContaining({ id: TINY, context_window: 128 }),
    ]);
    const { status } = await ask({ model_id: TINY, text: 'x', schema: ['city'] });
    expect(status).toBe(422);
  });

  describe('a tiny random encoder trained with an adapter', () => {
    let job: TrainingJobRecord;
    beforeAll(async () => {
      job = await train({ base_model: TINY, datasets: [{ name: 'homes' }], nr_epochs: EPOCHS, learning_rate: 5e-3 });
    });

    it('learns its rows on every head', async () => {
      expect([job.status, job.error_message, job.training_type]).toEqual(['complete', null, 'lora']);
      expect(job.metrics!.f1).toBeGreaterThan(0.9);
      const checkpoints = await client.checkpoints(job.id);
      expect(checkpoints).toHaveLength(EPOCHS);
      expect(checkpoints.find(({ is_best }) => is_best)!.f1).toBe(job.metrics!.f1);
    });

    it('answers by its own labels, in code points', async () => {
      const { status, body } = await ask({ model_id: job.id, text: ASKED });
      expect(status).toBe(200);
      expect(body.result).toMatchObject(ANSWER);
      expect(body.token_usage).toBeGreaterThan(5);
    });

    it('warns of what it did not learn', async () => {
      const { body } = await ask({ model_id: job.id, text: ASKED, schema: ['person', 'colour'] });
      expect(body.result.entities).toMatchObject({ person: [{ text: 'Eve' }], colour: [] });
      expect(body.warnings).toMatchObject([{ code: 'unresolved_label' }]);
    });

    it('names the training rows that are nearest to a text', async () => {
      const { body } = await ask({ model_id: job.id, text: [ASKED, 'Now Gus lives in Basel.'], explain: true });
      expect(body.warnings ?? []).toEqual([]);
      for (const [text, { nearest_rows: nearest }] of [ASKED, 'Now Gus lives in Basel.'].map(
        (each, at) => [each, body.explanation[at]] as const,
      )) {
        expect(nearest).toHaveLength(3);
        const at = rows.findIndex((row) => row.text === nearest[0].text);
        expect(nearest[0]).toMatchObject({ labels: [rows[at]!.label], dataset_name: 'homes', row: at + 1 });
        // The text itself is a row, unless it was held out.
        expect(nearest[0].similarity).toBeGreaterThan(nearest[0].text === text ? 0.99 : 0.5);
      }
      const { body: none } = await ask({ model_id: job.id, text: ASKED, schema: ['colour'], explain: true });
      const codes = none.warnings.map(({ code }: { code: string }) => code).toSorted();
      expect(codes).toEqual(['explanation_unavailable', 'unresolved_label']);
    });

    it('has in its automatic evaluation the figures of its training, each row on its own', async () => {
      const evaluation = await client.automaticEvaluation(job.id);
      expect(evaluation).toMatchObject({ status: 'complete', error_message: null, f1_score: job.metrics!.f1 });
      const { body } = await api.call('GET', `/felix/evaluations/${evaluation.id}`);
      const right = body.predictions.filter(({ correct }: { correct: boolean }) => correct).length;
      expect(right / body.sample_count).toBeCloseTo(body.accuracy);
    });

    it('is exported as ONNX, with a program that gives the same answers', async () => {
      const path = `/felix/training-jobs/${job.id}`;
      expect((await api.call('PUT', `${path}/exports/onnx`)).status).toBe(200);
      const { body: made } = await api.until(
        () => api.call('GET', `${path}/exports`),
        ({ body }) => ['complete', 'failed'].includes(body.exports[0].status),
      );
      expect(made.exports).toMatchObject([{ format: 'onnx', status: 'complete', error_message: null }]);
      const { body: link } = await api.call('GET', `${path}/download?format=onnx`);
      const tar = join(folder, 'onnx.tar');
      await writeFile(tar, Buffer.from(await (await fetch(link.download_url)).arrayBuffer()));
      const unpacked = join(folder, 'onnx');
      await mkdir(unpacked);
      await run('tar', ['-xf', tar, '--strip-components=1'], { directory: unpacked });
      await run('sha256sum', ['-c', 'SHA256SUMS'], { directory: unpacked });
      const texts = [ASKED, rows[3]!.text];
      const lines = (await run(python, ['run.py', ...texts], { directory: unpacked })).trim().split('\n');
      const { body } = await ask({ model_id: job.id, text: texts });
      const found = lines.map((line) => JSON.parse(line));
      for (const [at, result] of body.result.entries()) {
        const { entities, classification, home, relation_extraction: relations } = result;
        expect(found[at]).toEqual(
          rounded({ truncated: false, entities, classification, structures: { home }, relations }),
        );
      }
      const card = await readFile(join(unpacked, 'README.md'), 'utf8');
      expect(card).toContain('python run.py "A text." "Another one."');
    });

    it('continues from a checkpoint with more labels', async () => {
      const dated = NAMES.map((name) => ({ text: `${name} left in May.`, entities: [['May', 'date']] }));
      await uploadDataset(api, { dataset_name: 'dates', filename: 'a.jsonl' }, jsonl([...dated, ...dated]));
      const [checkpoint] = await client.checkpoints(job.id);
      const datasets = [{ name: 'dates' }, { name: 'homes' }];
      const next = await train({ base_model: checkpoint!.id, datasets, nr_epochs: 10, learning_rate: 1e-2 });
      expect([next.status, next.error_message]).toEqual(['complete', null]);
      const schema = ['date', 'person'];
      const { body } = await ask({ model_id: next.id, text: ['Ben left in May.', 'Dan lives in Oslo now.'], schema });
      expect(body.result).toMatchObject([
        { entities: { date: [{ text: 'May' }] } },
        { entities: { person: [{ text: 'Dan' }], date: [] } },
      ]);
    });
  });

  it('of GLiNER2 answer any schema without training, also on their own route', async () => {
    const text = '😀 Does Ada live in Paris?';
    const schema = {
      entities: ['person', 'city'],
      classifications: { mood: ['asked', 'told'] },
      structures: { home: { fields: ['who', { name: 'where', dtype: 'list' }] } },
      relations: ['lives in'],
    };
    const { status, body } = await ask({ model_id: GLINER2, text, schema, threshold: 0.01 });
    expect(status).toBe(200);
    const { entities, mood } = body.result;
    expect([Object.keys(entities), ['asked', 'told'].includes(mood.label)]).toEqual([['person', 'city'], true]);
    const hits = [...entities.person, ...entities.city] as { text: string; start: number; end: number }[];
    for (const { start, end, text: found } of hits) expect([...text].slice(start, end).join('')).toBe(found);
    const own = await api.call('POST', '/gliner-2', { task: 'extract_entities', text, schema: ['person'] });
    expect([own.status, Object.keys(own.body.result.entities)]).toEqual([200, ['person']]);
    const measured = await client.evaluate({ base_model: GLINER2, dataset_name: 'homes', max_examples: 4 });
    expect(measured).toMatchObject({ status: 'complete', error_message: null });
  });

  it.each([
    { training_type: 'lora', nr_epochs: 1, learning_rate: 1e-2 },
    { training_type: 'full', nr_epochs: 30, learning_rate: 3e-3 },
  ])('of GLiNER2 learn all heads, $training_type, and still answer any schema', async (settings) => {
    const job = await train({ base_model: GLINER2, datasets: [{ name: 'homes' }], ...settings });
    expect([job.status, job.error_message, job.training_type]).toEqual(['complete', null, settings.training_type]);
    expect(Object.keys(job.metrics!.heads)).toEqual(['entities', 'classification', 'structures', 'relations']);
    // The processor's rounding decides the answers of random weights after so few steps, but not that the weights have learned.
    const losses = (await client.checkpoints(job.id))
      .toSorted((a, b) => a.step - b.step)
      .map(({ training_loss }) => training_loss);
    expect(losses).toHaveLength(settings.nr_epochs);
    if (losses.length > 1) expect(losses.at(-1)).toBeLessThan(losses[0]!);
    const { body: own } = await ask({ model_id: job.id, text: ASKED });
    expect(own.result).toEqual({
      entities: { city: expect.any(Array), person: expect.any(Array) },
      classification: { label: expect.stringMatching(/^(asked|told)$/), confidence: expect.any(Number) },
      home: expect.any(Array),
      relation_extraction: { 'lives in': expect.any(Array) },
    });
    const schema = { classifications: { mood: ['glad', 'sad'] } };
    const { body } = await ask({ model_id: job.id, text: ASKED, schema });
    expect(body.result.mood.label).toMatch(/^(glad|sad)$/);
    const evaluation = await client.automaticEvaluation(job.id);
    expect(evaluation).toMatchObject({ status: 'complete', error_message: null, f1_score: job.metrics!.f1 });
  });

  it('can be trained in full', async () => {
    const full = { training_type: 'full', nr_epochs: 15, learning_rate: 3e-3 };
    const job = await train({ base_model: TINY, datasets: [{ name: 'homes' }], ...full });
    expect([job.status, job.error_message, job.training_type]).toEqual(['complete', null, 'full']);
    expect((await ask({ model_id: job.id, text: ASKED })).body.result).toMatchObject(ANSWER);
  });

  it('generalise to unseen texts if they were pretrained, and refuse heads that they did not learn', async () => {
    const labelled = Object.entries(TALK).flatMap(([label, texts]) => texts.map((text) => ({ text, label })));
    await uploadDataset(api, { dataset_name: 'talk', filename: 'a.jsonl' }, jsonl(labelled));
    const { id, status } = await train({ base_model: MINILM, datasets: [{ name: 'talk' }], nr_epochs: 8 });
    expect(status).toBe('complete');
    const text = ['An elephant drinks.', 'Hail hit the roof.', 'The wolf howls.', 'Thunder and lightning.'];
    const { body } = await ask({ model_id: id, text });
    const found = body.result.map((each: { classification: { label: string } }) => each.classification.label);
    expect(found).toEqual(['animals', 'weather', 'animals', 'weather']);
    const refused = await ask({ model_id: id, text: 'x', schema: { relations: ['lives in'] } });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringContaining('has no relations head'),
    ]);
  });
});
