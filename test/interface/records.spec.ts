import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { operate } from '#test/support/operate.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const FIGURE = expect.any(Number);

/** Whole records, field by field, as clients get them. */
describe('records', () => {
  let api: TestApi;
  let who: { readonly user_id: string; readonly workspace_id: string; readonly team_id: string };
  const get = async (path: string, headers?: Record<string, string>) =>
    (await api.call('GET', path, undefined, headers)).body;
  const post = async (path: string, body: unknown) => (await api.call('POST', path, body)).body;
  const session = () => ({ authorization: `Bearer ${api.session}` });

  beforeAll(async () => {
    api = await sharedTestApi();
    who = await get('/auth/session', session());
  });
  afterAll(() => api.close());

  it('have every field of a session: who, where, and until when', () => {
    expect(who).toEqual({
      user_id: UUID,
      email: expect.any(String),
      team_id: UUID,
      workspace_id: UUID,
      role: 'owner',
      permissions: ['inference', 'history', 'content', 'weights', 'audit', 'write', 'manage', 'own'],
      workspaces: [{ id: UUID, owner_email: expect.any(String), role: 'owner' }],
      has_password: false,
      expires_at: TIME,
    });
  });

  it('give the id that revokes a key', async () => {
    const made = (await api.call('POST', '/create-api-key', { name: 'short' }, session())).body;
    const revoked = await api.call('DELETE', '/delete-api-key', { key_id: made.id });
    expect([revoked.status, revoked.body]).toEqual([200, { success: true, message: null }]);
    expect((await api.call('DELETE', '/delete-api-key', { key_id: made.id })).body).toEqual({
      success: true,
      message: expect.any(String),
    });
  });

  it('have every field of a catalog model', async () => {
    const { models } = await get('/base-models?task_type=encoder');
    expect(models[0]).toEqual({
      ...{ id: BASE, label: 'Anneal Encoder Base v1', description: expect.any(String), task_type: 'encoder' },
      ...{ family: 'anneal-encoder', multilingual: false, context_window: 50_000, release_month: '2026-11' },
      ...{ input_price_per_million: 0.15, output_price_per_million: 0.15 },
      ...{ cache_read_price_per_million: 0.15, cache_write_price_per_million: 0.15 },
      ...{ supports_inference: true, supports_training: true, supports_on_demand_inference: true },
      ...{ deprecated: false, tier: 'small' },
    });
  });

  it('have the bounds of a page of models', async () => {
    const page = await get('/v1/models?limit=1');
    expect(page).toEqual({
      ...{ object: 'list', data: [expect.any(Object)], has_more: expect.any(Boolean) },
      ...{ first_id: page.data[0].id, last_id: page.data[0].id },
    });
  });

  it('have every field of a recorded call, and its feedback', async () => {
    const project = await post('/projects', { name: 'calls' });
    const called = await post('/inference', {
      model_id: BASE,
      text: 'Maria',
      schema: ['person'],
      project_id: project.id,
    });
    const id = called.inference_id as string;
    const record = {
      ...{ id, user_id: who.user_id, model_id: BASE, model_name: 'Anneal Encoder Base v1', base_model: BASE },
      ...{ task: 'extract_entities', input: { text: 'Maria', schema: ['person'] }, output: called.result },
      ...{ latency_ms: expect.any(Number), ttft_ms: null, tokens: 1, input_tokens: 1, output_tokens: 0 },
      ...{ cache_read_tokens: 0, cache_write_tokens: 0, cost: 0.15e-6, source: 'api', format: 'native' },
      ...{ status: 'success', error_type: null, error_message: null, created_at: TIME },
      ...{ project_id: project.id, training_job_id: null },
    };
    expect(await get(`/inferences/${id}`)).toEqual(record);
    const corrected_output = { entities: { person: [] } };
    const said = await post(`/inferences/${id}/feedback`, { verdict: 'incorrect', corrected_output, notes: 'no name' });
    expect(said).toEqual({ inference_id: id, human_verdict: 'incorrect', human_feedback_at: TIME });
    expect(await get(`/inferences/${id}`)).toEqual({
      ...record,
      ...{ human_verdict: 'incorrect', human_corrected_output: corrected_output },
      ...{ human_feedback_notes: 'no name', human_feedback_at: said.human_feedback_at },
    });
  });

  it('have every field of usage and ledger entries', async () => {
    await post('/inference', { model_id: BASE, text: 'Maria left.', schema: ['person'] });
    await operate(api, 'credits.add', { dollars: '1', team: api.teamId });
    await api.drained();
    const { usage } = await get('/account/usage');
    const {
      entries: [entry],
    } = await get('/account/ledger');
    expect(usage[0]).toEqual({
      ...{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), model_id: BASE, api_key_id: UUID },
      ...{ request_count: expect.any(Number), failed_count: 0, input_tokens: expect.any(Number), output_tokens: 0 },
      ...{ cache_read_tokens: 0, cache_write_tokens: 0, cost: expect.any(Number) },
    });
    expect(entry).toEqual({
      ...{ id: expect.any(String), kind: 'top_up', amount: 1, reason: null, inference_id: null, created_at: TIME },
    });
  });

  it('have every field of a project', async () => {
    const { id } = await post('/projects', { name: 'whole', description: 'all of it' });
    expect(await get(`/projects/${id}`)).toEqual({
      id: UUID,
      name: 'whole',
      description: 'all of it',
      created_at: TIME,
    });
  });

  it("have an event's cause, time and actor", async () => {
    const { id } = await post('/projects', { name: 'caused' });
    const { keys } = await get('/list-api-keys');
    const { events } = await get(`/events?stream=project-${id}`);
    expect(events).toEqual([
      {
        ...{ id: UUID, type: 'project-created.v1', stream: `project-${id}`, revision: 0, position: expect.any(String) },
        ...{ data: expect.objectContaining({ name: 'caused' }), actor: `key:${keys[0].id}` },
        ...{ correlation_id: expect.any(String), causation_id: expect.any(String), occurred_at: TIME },
      },
    ]);
  });

  it('have the healthy parts, the failing ones, and all together', async () => {
    const { status, info, error, details } = await get('/health', {});
    expect([status, error]).toEqual(['ok', {}]);
    expect(info).toEqual(details);
    expect(info['event-store']).toMatchObject({ status: 'up' });
  });

  it("accept either spelling of a file's name, and read by it", async () => {
    const content = 'text,label\na,b\n';
    for (const name of ['filename', 'file_name']) {
      const version = await uploadDataset(api, { dataset_name: 'named', [name]: 'rows.csv' }, content);
      expect(version).toMatchObject({ status: 'ready', format: 'csv', sample_size: 1 });
    }
  });

  it('have every field of a generation job', async () => {
    const project = await post('/projects', { name: 'made' });
    const asked = { task_type: 'ner', labels: ['person', 'city'], num_examples: 5, seed: 7, project_id: project.id };
    const { job_id } = await post('/generate', { ...asked, dataset_name: 'made' });
    const path = `/generate/jobs/${job_id}`;
    const job = await api.until(
      () => get(path),
      ({ status }) => ['ready', 'failed'].includes(status),
    );
    expect(job).toEqual({
      ...{ job_id, status: 'ready', task_type: 'ner', dataset_name: 'made', version_number: '1', count: 5 },
      ...{ progress_percent: 100, error: null, created_at: TIME, model_id: 'built-in', num_examples: 5, seed: 7 },
      ...{ project_id: project.id, distinct_share: FIGURE, warnings: [] },
    });
  });

  it('have the model of labelled rows, and their project', async () => {
    const project = await post('/projects', { name: 'labelled' });
    const asked = { inputs: ['Maria left.'], labels: ['person'], dataset_name: 'labelled', project_id: project.id };
    const rows = await post('/generate/ner/label-existing', asked);
    expect(rows).toMatchObject({
      success: true,
      count: 1,
      model_used: BASE,
      dataset_name: 'labelled',
      version_number: '1',
    });
    expect(await get('/felix/datasets/labelled/1')).toMatchObject({ project_id: project.id });
  });

  it('have every figure of a trained model and its evaluation, pooled and by head', async () => {
    await uploadDataset(api, { dataset_name: 'trips' }, trips(60));
    const client = new TrainingClient(api);
    const { id } = await client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 2 });
    const { metrics } = await client.ended(id);
    const figures = { f1: FIGURE, precision: FIGURE, recall: FIGURE };
    expect(metrics).toMatchObject({
      ...{ f1: FIGURE, precision: FIGURE, recall: FIGURE, macro_f1: FIGURE, accuracy: FIGURE },
      ...{ eval_f1_score: metrics!.f1, eval_precision: metrics!.precision, eval_recall: metrics!.recall },
      heads: { entities: figures, classification: figures },
    });
    const evaluation = await client.automaticEvaluation(id);
    expect(evaluation).toMatchObject({
      ...{ status: 'complete', f1: FIGURE, f1_score: evaluation.f1, precision_score: evaluation.precision },
      ...{ recall_score: evaluation.recall, macro_f1: FIGURE, automatic: true, created_at: TIME, completed_at: TIME },
    });
  });
});
