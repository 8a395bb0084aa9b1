import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider } from '#domain/dataset/index.js';
import { streamName } from '#domain/streams.js';
import type { TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import { NO_FILE, waitingRows } from '#test/support/waiting-rows.js';
import type { TrainingJobRecord } from '../training-jobs/reading/responses.js';
import { evaluationDocuments } from '#projections/evaluations/queries.js';
import { evaluationRecord } from './record.js';
import type { EvaluationRecord, Prediction } from './responses.js';

const BASE = 'anneal/encoder-base-v1';

let api: TestApi;
let client: TrainingClient;
let job: TrainingJobRecord;
/** Evaluations of the trained model and of the base model, on the same rows. */
let evaluation: EvaluationRecord;
let ofBase: EvaluationRecord;
beforeAll(async () => {
  api = await sharedTestApi({ engines: QUICK_ENGINES });
  await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
  await uploadDataset(api, { dataset_name: 'held out', filename: 'held.jsonl' }, trips(21));
  client = new TrainingClient(api);
  const { id } = await client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 4 });
  job = await client.ended(id);
  const body = { dataset_name: 'held out', version_number: 1 };
  evaluation = await client.evaluate({ ...body, base_model: job.id });
  ofBase = await client.evaluate({ ...body, base_model: BASE });
});
afterAll(() => api.close());

describe('evaluations', () => {
  const start = (body: object) => api.call('POST', '/felix/evaluations', body);

  it('measure a trained model on a dataset, with every prediction', () => {
    expect(evaluation).toMatchObject({
      model_id: job.id,
      base_model: BASE,
      dataset_name: 'held out',
      version_number: '1',
      status: 'complete',
      progress_percent: 100,
      max_answer_tokens: null,
      f1: evaluation.f1_score,
      precision: evaluation.precision_score,
      recall: evaluation.recall_score,
      sample_count: 21,
      automatic: false,
      error_message: null,
      bleu_score: null,
      rouge_l_score: null,
      exact_match: null,
      macro_f1: expect.any(Number),
      training_job_id: job.id,
    });
    expect(evaluation.f1).toBeGreaterThan(0.5);
    expect(evaluation.accuracy).toBeGreaterThan(0);
    const figures = { f1: expect.any(Number), precision: expect.any(Number), recall: expect.any(Number) };
    expect(evaluation.metrics!.per_entity['traveller']).toEqual({ ...figures, support: 21 });
    expect(Object.keys(evaluation.metrics!.heads).toSorted()).toEqual(['classification', 'entities']);
    expect(evaluation.predictions).toHaveLength(21);
    const predictions = evaluation.predictions!;
    const prediction = predictions[0]!;
    expect(prediction).toMatchObject({
      text: 'please book Paris for Anna',
      expected: {
        entities: [
          { text: 'Paris', label: 'destination', start: 12, end: 17 },
          { text: 'Anna', label: 'traveller', start: 22, end: 26 },
        ],
        labels: ['booking'],
      },
    });
    expect(prediction.correct).toBe(JSON.stringify(prediction.expected) === JSON.stringify(prediction.predicted));
    const right = predictions.filter(({ correct }) => correct).length;
    expect(evaluation.accuracy).toBeCloseTo(right / 21);
  });

  it('report confidence against accuracy, for entities and classes', () => {
    const { metrics, predictions } = ofBase;
    const { entities, classification } = metrics!.calibration!;
    const count = (bins: readonly { readonly count: number }[]) => bins.reduce((sum, bin) => sum + bin.count, 0);
    expect(count(classification!.bins)).toBe(21);
    const found = predictions!.flatMap(({ predicted }) => (predicted as { entities: object[] }).entities);
    expect(count(entities!.bins)).toBe(found.length);
    expect(classification!.bins.map(({ from, to }) => [from, to])[9]).toEqual([0.9, 1]);
    for (const { expected_calibration_error: error, bins } of [entities!, classification!]) {
      expect(error).toBeGreaterThan(0);
      expect(error).toBeLessThan(1);
      for (const { from, to, count: answers, mean_confidence: mean, accuracy } of bins) {
        expect([mean === null, accuracy === null]).toEqual([answers === 0, answers === 0]);
        if (mean === null) continue;
        expect(mean).toBeGreaterThanOrEqual(from);
        expect(mean).toBeLessThanOrEqual(to);
      }
    }
  });

  it('have an interval for each figure, and are compared by F1 with another on the same rows', async () => {
    const { intervals, per_entity, heads } = evaluation.metrics!;
    for (const figure of ['f1', 'precision', 'recall', 'accuracy'] as const) {
      expect(intervals![figure].low).toBeLessThanOrEqual(evaluation[figure]!);
      expect(intervals![figure].high).toBeGreaterThanOrEqual(evaluation[figure]!);
    }
    expect(Object.keys(intervals!.heads).toSorted()).toEqual(Object.keys(heads).toSorted());
    expect(Object.keys(intervals!.per_entity).toSorted()).toEqual(Object.keys(per_entity).toSorted());

    const { body } = await api.call('GET', `/felix/evaluations/${evaluation.id}/comparison?with=${ofBase.id}`);
    const { f1 } = body.figures as { f1: { value: number; with_value: number } };
    expect([f1.value, f1.with_value]).toEqual([evaluation.f1, ofBase.f1]);
    expect(f1).toMatchObject({ losses: 0, test: 'approximate_randomization' });
    expect(body.figures.f1.difference.low).toBeGreaterThan(0);
    expect(body.figures.f1.p_value).toBeLessThan(0.05);
  });

  it('count the rows whose text the model was trained on', async () => {
    const rows = [...new Set(trips(60).trim().split('\n'))].slice(0, 20);
    const others = [1, 2, 3].map((n) => JSON.stringify({ text: `nothing like it ${n}`, entities: [] }));
    const spaced = rows.map((row) => row.replace('"text":"', '"text":"  ').replace(' to ', '  to '));
    const content = [...spaced, ...others].join('\n');
    await uploadDataset(api, { dataset_name: 'overlapping', filename: 'o.jsonl' }, content);
    const own = await client.evaluate({ base_model: job.id, dataset_name: 'overlapping' });
    // Some of the rows were held out.
    expect(own.overlapping_rows).toBeGreaterThanOrEqual(14);
    expect(own.overlapping_rows).toBeLessThanOrEqual(20);
    expect(own.warnings).toEqual([
      { code: 'overlaps_training_rows', message: expect.stringContaining(`${own.overlapping_rows} of 23 rows`) },
    ]);
    const base = await client.evaluate({ base_model: BASE, dataset_name: 'overlapping' });
    expect(base).toMatchObject({ overlapping_rows: null, warnings: [] });
  });

  it('name the engine that answers', async () => {
    expect(evaluation.engine).toEqual({ name: 'builtin', version: expect.any(String) });
    const document = (await evaluationDocuments.get(api.application.ports.readStore, evaluation.id))!;
    const llama = { name: 'llama', version: '1' };
    expect(evaluationRecord({ ...document, answeredBy: llama }).engine).toEqual(llama);
  });

  it('show the share of their rows that are answered', async () => {
    const { body } = await start({ base_model: BASE, dataset_name: 'held out' });
    expect([body.status, body.progress_percent]).toEqual(['queued', 0]);
    const document = (await evaluationDocuments.get(api.application.ports.readStore, evaluation.id))!;
    const shown = (status: typeof document.status, fraction: number | null) =>
      evaluationRecord({ ...document, status }, { waitingReason: null, fraction }).progress_percent;
    expect([shown('running', 0.426), shown('running', null), shown('failed', null)]).toEqual([42, null, null]);
  });

  it('have predictions that are read page by page', async () => {
    const { id } = await client.evaluate({
      model_id: job.id,
      dataset_name: 'held out',
      version_number: '1',
      max_examples: 7,
    });
    const whole = await api.call('GET', `/felix/evaluations/${id}`);
    expect(whole.body).toMatchObject({ sample_count: 7 });
    const page = await api.call('GET', `/felix/evaluations/${id}?limit=2&offset=5`);
    expect(page.body.predictions).toEqual((whole.body.predictions as unknown[]).slice(5, 7));
    expect((await api.call('GET', `/felix/evaluations/${id}?offset=7`)).body.predictions).toEqual([]);
  });

  it('show an auditor whose key has `audit` and `history` their figures and comparisons, and no row', async () => {
    const keyWith = async (scopes: readonly string[]) => {
      const session = { authorization: `Bearer ${api.session}` };
      const { body } = await api.call('POST', '/create-api-key', { name: 'k', scopes }, session);
      return { 'x-api-key': body.secret_key as string };
    };
    const key = await keyWith(['audit', 'history']);
    const path = `/felix/evaluations/${evaluation.id}`;
    const { predictions, ...figures } = (await api.call('GET', path)).body;
    expect(predictions).not.toEqual([]);
    for (const query of ['', '?only_wrong=true', '?offset=3&limit=2'])
      expect((await api.call('GET', path + query, undefined, key)).body).toMatchObject({
        ...{ predictions: [], content_withheld: true, f1: figures.f1, metrics: figures.metrics },
      });
    const compared = await api.call('GET', `${path}/comparison?with=${ofBase.id}`, undefined, key);
    expect([compared.status, compared.body.figures]).toEqual([200, expect.objectContaining({ f1: expect.anything() })]);
    expect((await api.call('GET', path, undefined, await keyWith(['inference']))).status).toBe(403);
  });

  it('list confusions, and the wrong rows', async () => {
    // The base model was never told these labels.
    const { id, metrics } = ofBase;
    const { pairs, total, truncated } = metrics!.confusions!;
    expect([pairs.length, truncated]).toEqual([total, false]);
    expect(pairs).toContainEqual({
      head: expect.any(String),
      expected: expect.any(String),
      predicted: null,
      count: expect.any(Number),
    });
    const read = async (query: string) =>
      (await api.call('GET', `/felix/evaluations/${id}${query}`)).body.predictions as readonly Prediction[];
    const all = await read('');
    expect(all.map(({ row }) => row)).toEqual(all.map((_, index) => index + 1));
    const wrong = all.filter(({ correct }) => !correct);
    expect(wrong.length).toBeGreaterThan(0);
    expect(await read('?only_wrong=true')).toEqual(wrong);
    expect(await read('?only_wrong=true&limit=1&offset=1')).toEqual(wrong.slice(1, 2));
  });

  it('measure base models and checkpoints too', async () => {
    const first = (await client.checkpoints(job.id))[0]!;
    const [base, checkpoint] = await Promise.all([
      client.evaluate({ base_model: 'fastino/gliner2-base-v1', dataset_name: 'held out' }),
      client.evaluate({ base_model: first.id, dataset_name: 'held out' }),
    ]);
    expect([base.status, checkpoint.status]).toEqual(['complete', 'complete']);
    expect(checkpoint.f1).toBeGreaterThan(base.f1!);
  });

  it('are listed newest first, optionally by model, without predictions', async () => {
    const { body } = await api.call('GET', '/felix/evaluations');
    expect(body).toMatchObject({ success: true, count: body.evaluations.length, total: body.evaluations.length });
    const created = (body.evaluations as EvaluationRecord[]).map(({ created_at }) => created_at);
    expect(created).toEqual(created.toSorted().toReversed());
    expect('predictions' in body.evaluations[0]).toBe(false);
    const ofJob = await api.call('GET', `/felix/evaluations?model_id=${job.id}`);
    const models = (ofJob.body.evaluations as EvaluationRecord[]).map(({ model_id }) => model_id);
    expect(new Set(models)).toEqual(new Set([job.id]));
  });

  it('are found by several filters at once', async () => {
    const { body: project } = await api.call('POST', '/projects', { name: 'with evaluations' });
    const total = async (query: string) => (await api.call('GET', `/felix/evaluations?${query}`)).body.total as number;
    const ofBoth = `model_id=${job.id}&training_job_id=${job.id}`;
    expect(await total(ofBoth)).toBeGreaterThan(0);
    expect(await total(`model_id=${encodeURIComponent(BASE)}&training_job_id=${job.id}`)).toBe(0);
    expect(await total(`${ofBoth}&project_id=${project.id}`)).toBe(0);
  });

  it('are listed by each filter and by several at once, with totals', async () => {
    const project = ((await api.call('POST', '/projects', { name: 'measured' })).body as { id: string }).id;
    await client.evaluate({ base_model: BASE, dataset_name: 'held out', max_examples: 2, project_id: project });
    await client.evaluate({ base_model: BASE, dataset_name: 'trips', max_examples: 2, project_id: project });
    const { body: whole } = await api.call('GET', '/felix/evaluations');
    const all = whole.evaluations as EvaluationRecord[];
    const conditions: [string, (each: EvaluationRecord) => boolean][] = [
      [`model_id=${BASE}`, ({ model_id }) => model_id === BASE],
      [`training_job_id=${job.id}`, ({ training_job_id }) => training_job_id === job.id],
      [`project_id=${project}`, ({ project_id }) => project_id === project],
      ['dataset_name=held%20out', ({ dataset_name }) => dataset_name === 'held out'],
      ['status=complete', ({ status }) => status === 'complete'],
      ['status=failed', ({ status }) => status === 'failed'],
    ];
    for (const [query, holds] of conditions)
      for (const [other, alsoHolds] of conditions) {
        const both = query.split('=')[0] === other.split('=')[0] ? query : `${query}&${other}`;
        const wanted = all.filter((each) => holds(each) && (both === query || alsoHolds(each)));
        const { body } = await api.call('GET', `/felix/evaluations?${both}&limit=2`);
        expect([both, body.total, (body.evaluations as EvaluationRecord[]).map(({ id }) => id)]).toEqual([
          both,
          wanted.length,
          wanted.slice(0, 2).map(({ id }) => id),
        ]);
        expect([body.count, body.has_more]).toEqual([Math.min(2, wanted.length), wanted.length > 2]);
      }
  });

  it.each([
    ['limit=0', 422],
    ['limit=201', 422],
    ['offset=-1', 422],
    ['status=done', 400],
    ['project_id=nope', 404],
  ])('the list with %s is %d', async (query, expected) => {
    expect((await api.call('GET', `/felix/evaluations?${query}`)).status).toBe(expected);
  });

  describe('bad input', () => {
    const good = { base_model: BASE, dataset_name: 'held out' };

    it.each<[string, object, string, string]>([
      ['no model', { dataset_name: 'held out' }, 'base_model', 'missing'],
      ['null for a model', { ...good, base_model: null }, 'base_model', 'missing'],
      ['an empty model', { ...good, base_model: '' }, 'base_model', 'out_of_range'],
      ['a model of the wrong type', { ...good, base_model: 1 }, 'base_model', 'wrong_type'],
      ['two models', { ...good, model_id: 'another' }, 'model_id', 'not_allowed'],
      ['no encoder', { ...good, base_model: 'anneal/embedder-base-v1' }, 'base_model', 'not_allowed'],
      [
        'no encoder, by the other name',
        { model_id: 'anneal/embedder-base-v1', dataset_name: 'held out' },
        ...(['model_id', 'not_allowed'] as const),
      ],
      ['no dataset', { base_model: BASE }, 'dataset_name', 'missing'],
      ['a dataset of the wrong type', { ...good, dataset_name: [] }, 'dataset_name', 'wrong_type'],
      ['max_examples 0', { ...good, max_examples: 0 }, 'max_examples', 'out_of_range'],
      ['max_examples "9"', { ...good, max_examples: '9' }, 'max_examples', 'wrong_type'],
      ['max_answer_tokens of an encoder', { ...good, max_answer_tokens: 9 }, 'max_answer_tokens', 'not_allowed'],
      ['max_answer_tokens 0', { ...good, max_answer_tokens: 0 }, 'max_answer_tokens', 'out_of_range'],
      ['a version of the wrong type', { ...good, version_number: {} }, 'version_number', 'wrong_type'],
      ['project_id of the wrong type', { ...good, project_id: 7 }, 'project_id', 'wrong_type'],
    ])('%s is 422 and names the field', async (_, body, field, type) => {
      const answer = await start(body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0]).toMatchObject({ loc: ['body', field], type });
    });

    it.each<[string, object]>([
      ['an unknown model', { ...good, base_model: 'no/such' }],
      ['an unknown dataset', { ...good, dataset_name: 'nope' }],
      ['an unknown version', { ...good, version_number: '9' }],
      ['an unknown project', { ...good, project_id: 'nope' }],
    ])('%s is 404', async (_, body) => {
      expect((await start(body)).status).toBe(404);
    });

    it('a job that has not finished is 409, naming its state', async () => {
      await uploadDataset(api, { dataset_name: 'endless', filename: 'a.jsonl' }, waitingRows(1, NO_FILE));
      const { id } = await client.start({ base_model: BASE, datasets: [{ name: 'endless' }] });
      const answer = await start({ ...good, base_model: id });
      const withoutDataset = await start({ ...good, base_model: id, dataset_name: 'nope' });
      await api.call('POST', `/felix/training-jobs/${id}/stop`);
      expect(answer.status).toBe(409);
      expect(answer.body.detail).toMatch(/requested|running/);
      expect(withoutDataset.status).toBe(404);
    });

    it('an unknown evaluation is 404', async () => {
      expect((await api.call('GET', '/felix/evaluations/nope')).status).toBe(404);
    });

    it.each([
      ['limit=-1', 422],
      ['limit=1001', 422],
      ['limit=x', 400],
      ['offset=-1', 422],
    ])('predictions with %s are %d', async (query, expected) => {
      const { body } = await api.call('GET', '/felix/evaluations?limit=1');
      expect((await api.call('GET', `/felix/evaluations/${body.evaluations[0].id}?${query}`)).status).toBe(expected);
    });
  });
});

describe('deleting an evaluation', () => {
  let workspaceId: string;
  beforeAll(async () => {
    const headers = { authorization: `Bearer ${api.session}` };
    workspaceId = (await api.call('GET', '/auth/session', undefined, headers)).body.workspace_id as string;
  });

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

  it('removes it and its predictions', async () => {
    const { id } = await client.evaluate({ base_model: BASE, dataset_name: 'held out' });
    // All rows and the wrong ones, an index of each, and the facts of all rows.
    expect(await objects(id)).toHaveLength(5);
    const { status, body } = await remove(id);
    expect([status, body]).toEqual([200, { success: true, message: 'the evaluation and its predictions are deleted' }]);
    await eventually(async () => (await objects(id)).length === 0);
    expect((await api.call('GET', `/felix/evaluations/${id}`)).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
    const { body: list } = await api.call('GET', '/felix/evaluations');
    expect((list.evaluations as { id: string }[]).map((each) => each.id)).not.toContain(id);
  });

  it('stops a running one, and releases its dataset', async () => {
    const ids = [await start(), await start(), await start()];
    for (const id of ids) expect((await remove(id)).status).toBe(200);
    await api.until(claims, (count) => count === 0);
    // The queue continues, and the next evaluation finds nothing left of the deleted ones.
    await client.evaluate({ base_model: BASE, dataset_name: 'held out' });
    for (const id of ids) {
      await eventually(async () => (await objects(id)).length === 0);
      const events = await Array.fromAsync(api.application.ports.eventStore.readStream(streamName('evaluation', id)));
      const types = events.map(({ type }) => type);
      expect(types.slice(types.indexOf('evaluation-deleted.v1') + 1)).not.toContain('evaluation-completed.v1');
    }
  });
});
