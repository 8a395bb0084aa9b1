import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider } from '#domain/dataset/index.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import { NO_FILE, waitingRows } from '#test/support/waiting-rows.js';
import type { TrainingJobRecord } from './reading/responses.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';

const BASE = 'anneal/encoder-base-v1';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('training jobs', () => {
  let api: TestApi;
  let client: TrainingClient;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-training-jobs-'));
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const start = (body: object) => api.call('POST', '/felix/training-jobs', body);
  const startTrips = async (more: object = {}) => {
    const job = await client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 3, ...more });
    expect(job.status).toBe('requested');
    return job;
  };
  const document = async (id: string) => (await trainingJobDocuments.get(api.application.ports.readStore, id))!;

  describe('a training job that completes', () => {
    let requested: TrainingJobRecord;
    let job: TrainingJobRecord;
    beforeAll(async () => {
      requested = await startTrips({ model_name: 'trip finder', base_model: 'fastino/gliner2-base-v1' });
      job = await client.ended(requested.id);
    });

    it('shows the value of every setting once requested, and no metrics', () => {
      expect(requested).toEqual({
        id: expect.stringMatching(UUID),
        model_name: 'trip finder',
        named_model: 'trip-finder',
        base_model: BASE,
        training_type: 'lora',
        datasets: [{ name: 'trips', version: '1', dataset_id: expect.stringMatching(UUID), sample_size: 60 }],
        exclude_texts_of: [],
        status: 'requested',
        normalized_status: 'requested',
        is_terminal_status: false,
        progress_percent: 0,
        current_epoch: 0,
        nr_epochs: 3,
        learning_rate: expect.any(Number),
        batch_size: expect.any(Number),
        validation_data_percentage: 0.1,
        early_stopping_patience: 3,
        lora_r: 16,
        lora_alpha: 32,
        lora_dropout: 0.1,
        lr_scheduler_type: 'linear',
        warmup_ratio: expect.any(Number),
        weight_decay: 0.01,
        save_steps: 0,
        seed: 3407,
        task_type: 'multi_head',
        labels: ['booking', 'destination', 'travel', 'traveller'],
        project_id: null,
        root_job_id: null,
        start_checkpoint_id: null,
        deployment_status: 'not_deployed',
        error_message: null,
        created_at: expect.stringMatching(/T.*\.\d{3}Z$/),
        updated_at: requested.created_at,
        started_at: null,
        completed_at: null,
      });
    });

    it('ends with metrics on the held-out rows, for each entity', () => {
      expect(job).toMatchObject({
        status: 'complete',
        normalized_status: 'complete',
        is_terminal_status: true,
        progress_percent: 100,
        current_epoch: 3,
        error_message: null,
      });
      const metrics = job.metrics!;
      expect(metrics.f1).toBeGreaterThan(0.5);
      expect(metrics).toMatchObject({
        eval_f1_score: metrics.f1,
        eval_precision: metrics.precision,
        eval_recall: metrics.recall,
        final_training_loss: expect.any(Number),
        final_validation_loss: expect.any(Number),
        best_validation_loss: expect.any(Number),
        judged_on: 'validation',
        judged_rows: 6,
      });
      const figures = { f1: expect.any(Number), precision: expect.any(Number), recall: expect.any(Number) };
      expect(metrics.per_entity['traveller']).toEqual({ ...figures, support: 6 });
      expect(Date.parse(job.completed_at!)).toBeGreaterThanOrEqual(Date.parse(job.started_at!));
    });

    it('has a log that is read page by page', async () => {
      const { body } = await api.call('GET', `/felix/training-jobs/${job.id}/logs`);
      expect(body).toMatchObject({ job_id: job.id, total_logs: body.logs.length });
      expect(body.logs[0]).toEqual({
        id: '1',
        timestamp: expect.stringMatching(/Z$/),
        level: 'info',
        message: 'Training on 54 rows, 6 held out for validation',
        source: 'runner',
      });
      const page = await api.call('GET', `/felix/training-jobs/${job.id}/logs?after=1&limit=2`);
      expect(page.body.logs).toEqual((body.logs as unknown[]).slice(1, 3));
      const end = await api.call('GET', `/felix/training-jobs/${job.id}/logs?after=${body.total_logs}`);
      expect(end.body).toMatchObject({ logs: [], total_logs: body.total_logs });
    });

    it('has a learning curve with a point for each epoch, equal to its checkpoints', async () => {
      const points = (await client.checkpoints(job.id)).map(
        ({ epoch, step, training_loss, validation_loss, f1, learning_rate }) => ({
          epoch,
          step,
          training_loss,
          validation_loss,
          f1,
          learning_rate,
        }),
      );
      expect(job.learning_curve).toEqual(points);
    });

    it('is listed among the trained models, without its learning curve', async () => {
      const { body } = await api.call('GET', '/felix/trained-models');
      expect(body.count).toBe(body.models.length);
      const { learning_curve: _, ...listed } = job;
      expect(body.models).toContainEqual({ model_id: job.id, ...listed });
    });

    it('can no longer be stopped: 409 names its state', async () => {
      const { status, body } = await api.call('POST', `/felix/training-jobs/${job.id}/stop`);
      expect(status).toBe(409);
      expect(body.detail).toMatch(/complete/);
    });

    it('claims its dataset until it has ended, and so does its automatic evaluation', async () => {
      const started = join(directory, 'started');
      const rows = trips(10) + waitingRows(1, started, 2);
      await uploadDataset(api, { dataset_name: 'short', filename: 'a.jsonl' }, rows);
      const project = ((await api.call('POST', '/projects', { name: 'short' })).body as { id: string }).id;
      const { id } = await startTrips({ datasets: [{ name: 'short' }], nr_epochs: 1, project_id: project });
      const { workspaceId } = await document(id);
      const claims = async () => {
        const state = await api.application.load(datasetDecider, datasetStreamId(workspaceId, 'short'));
        return state.claims.map(({ claimantKind }) => claimantKind);
      };
      expect(await claims()).toEqual(['job']);
      await writeFile(started, '');
      await client.ended(id);
      expect(await client.automaticEvaluation(id)).toMatchObject({
        status: 'complete',
        automatic: true,
        model_id: id,
        dataset_name: 'short',
        sample_count: 1,
        project_id: project,
      });
      await api.until(claims, ({ length }) => length === 0);
    });

    it('lets another job continue from one of its checkpoints', async () => {
      const checkpoint = (await client.checkpoints(job.id))[0]!;
      const next = await startTrips({ base_model: checkpoint.id, nr_epochs: 1 });
      expect(next).toMatchObject({ base_model: BASE, root_job_id: job.id, start_checkpoint_id: checkpoint.id });
      expect(await client.ended(next.id)).toMatchObject({ status: 'complete' });
    });

    it('confirms a deployment of the checkpoint that it serves, and refuses one of another', async () => {
      const checkpoints = await client.checkpoints(job.id);
      const deploy = (id: string, headers?: Record<string, string>) =>
        api.call('POST', `/felix/training-jobs/${job.id}/checkpoints/${id}/deploy`, undefined, headers);
      const best = checkpoints.find(({ is_best }) => is_best)!;
      const { status, body } = await deploy(best.id);
      expect([status, body]).toEqual([
        200,
        {
          ...{ success: true, message: expect.any(String), job_id: job.id, checkpoint_id: best.id, model_id: job.id },
          deployment_status: expect.any(String),
        },
      ]);
      const call = { model_id: body.model_id, text: 'fly to Lima' };
      expect((await api.call('POST', '/inference', call)).status).toBe(200);
      const other = await deploy(checkpoints.find(({ is_best }) => !is_best)!.id);
      expect([other.status, other.body.detail]).toEqual([409, expect.stringContaining(`deploy ${best.id}`)]);
      expect((await deploy(job.id)).status).toBe(404);
      expect((await deploy(best.id, { 'x-api-key': (await api.colleague()).key })).status).toBe(404);
    });

    it('gives the same file for the same seed', async () => {
      const again = await startTrips();
      await client.ended(again.id);
      const artifact = async (id: string) => (await document(id)).artifact?.files;
      expect(await artifact(again.id)).toEqual(await artifact(job.id));
    });
  });

  it('train without a low-rank limit if full training is requested', async () => {
    const { id } = await startTrips({ training_type: 'full' });
    expect(await client.ended(id)).toMatchObject({ status: 'complete', training_type: 'full' });
  });

  it('count the held-out rows whose text is also trained on', async () => {
    const rows = ['Lima', 'Oslo'].map((place) =>
      JSON.stringify({ text: `fly to ${place}`, entities: [[place, 'destination']] }),
    );
    await uploadDataset(api, { dataset_name: 'twice', filename: 'a.jsonl' }, `${rows.join('\n')}\n`.repeat(10));
    const first = await startTrips({ datasets: [{ name: 'twice' }], nr_epochs: 1 });
    expect((await client.ended(first.id)).metrics).toMatchObject({ judged_rows: 10, overlapping_rows: 0 });
    // Another seed holds out the other text, which the job that this one goes on from learned.
    const ids = await Promise.all(
      [1, 2, 3, 4].map(async (seed) => {
        const more = { base_model: first.id, datasets: [{ name: 'twice' }], nr_epochs: 1, seed };
        return (await startTrips(more)).id;
      }),
    );
    const metrics = await Promise.all(ids.map(async (id) => (await client.ended(id)).metrics));
    const at = metrics.findIndex((each) => each?.overlapping_rows === 10);
    expect(metrics[at]?.figures_note).toMatch(/^10 of 10 held-out rows/);
    const { body } = await api.call('GET', `/felix/training-jobs/${ids[at]}/logs`);
    expect(body.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringMatching(/^10 of 10 held-out rows/) }),
    );
  });

  it('stop at once when asked, and stopping again changes nothing', async () => {
    await uploadDataset(api, { dataset_name: 'endless', filename: 'a.jsonl' }, waitingRows(2, NO_FILE));
    const { id } = await startTrips({ datasets: [{ name: 'endless' }] });
    await client.until(id, ({ current_epoch }) => current_epoch > 0);
    const stopped = await api.call('POST', `/felix/training-jobs/${id}/stop`);
    expect([stopped.status, stopped.body]).toEqual([
      200,
      { success: true, message: 'the training job is cancelled', job_id: id, status: 'cancelled' },
    ]);
    expect((await api.call('POST', `/felix/training-jobs/${id}/stop`)).status).toBe(200);
    const { body } = await api.call('GET', `/felix/training-jobs/${id}`);
    expect(body).toMatchObject({ status: 'cancelled', is_terminal_status: true });
    expect('metrics' in body).toBe(false);
  });

  it('wait for one another, first come first served, of small ones two at once', async () => {
    const jobs: TrainingJobRecord[] = [];
    for (let nth = 0; nth < 3; nth += 1) jobs.push(await startTrips({ nr_epochs: 1 }));
    const [first, second, third] = await Promise.all(jobs.map(({ id }) => client.ended(id)));
    const ended = [first!.completed_at!, second!.completed_at!].toSorted();
    expect(ended[0]! <= third!.started_at!).toBe(true);
  });

  describe('the list', () => {
    it('is newest first, in pages, with the total', async () => {
      const { body } = await api.call('GET', '/felix/training-jobs');
      expect(body).toMatchObject({ success: true, count: body.training_jobs.length, has_more: false });
      const created = (body.training_jobs as TrainingJobRecord[]).map(({ created_at }) => created_at);
      expect(created).toEqual(created.toSorted().toReversed());
      const page = await api.call('GET', '/felix/training-jobs?limit=1&offset=1');
      expect(page.body).toMatchObject({ count: 1, total: body.total, has_more: true });
      expect(page.body.training_jobs[0].id).toBe(body.training_jobs[1].id);
    });

    it('is filtered by status, including its other spellings', async () => {
      const [cancelled, stopped] = await Promise.all([
        api.call('GET', '/felix/training-jobs?status=cancelled'),
        api.call('GET', '/felix/training-jobs?status=stopped'),
      ]);
      expect(cancelled.body.count).toBeGreaterThan(0);
      expect(stopped.body).toEqual(cancelled.body);
      expect((await api.call('GET', '/felix/training-jobs?status=pending')).body.count).toBe(0);
    });

    it.each([
      ['limit=0', 422],
      ['limit=201', 422],
      ['limit=ten', 400],
      ['limit=', 400],
      ['offset=-1', 422],
      ['offset=99999999999999999999', 422],
      ['limit=1&limit=2', 400],
      ['offset=x', 400],
      ['status=done', 400],
      ['project_id=nope', 404],
    ])('%s is %d', async (query, expected) => {
      const { status, body } = await api.call('GET', `/felix/training-jobs?${query}`);
      expect([status, typeof body.detail]).toEqual([expected, 'string']);
    });
  });

  describe('bad input', () => {
    const good = { base_model: BASE, datasets: [{ name: 'trips' }] };

    it.each<[string, object, (string | number)[], string]>([
      ['no base_model', { datasets: good.datasets }, ['base_model'], 'missing'],
      ['an empty base_model', { ...good, base_model: '' }, ['base_model'], 'out_of_range'],
      ['base_model of the wrong type', { ...good, base_model: 5 }, ['base_model'], 'wrong_type'],
      ['no datasets', { base_model: BASE }, ['datasets'], 'missing'],
      ['an empty list of datasets', { ...good, datasets: [] }, ['datasets'], 'out_of_range'],
      ['datasets of the wrong type', { ...good, datasets: 'trips' }, ['datasets'], 'wrong_type'],
      ['datasets as a list of names', { ...good, datasets: ['trips'] }, ['datasets'], 'wrong_type'],
      ['datasets as a list of lists', { ...good, datasets: [[]] }, ['datasets'], 'wrong_type'],
      ['a dataset without a name', { ...good, datasets: [{}] }, ['datasets', 0, 'name'], 'missing'],
      [
        'a dataset twice',
        { ...good, datasets: [{ name: 'trips' }, { name: 'trips', version: 1 }] },
        ['datasets', 1],
        'not_unique',
      ],
      ['an unknown field', { ...good, epochs: 3 }, ['epochs'], 'unknown_field'],
      [
        'an unknown field of a dataset',
        { ...good, datasets: [{ name: 'trips', split: 1 }] },
        ['datasets', 0, 'split'],
        'unknown_field',
      ],
      ['nr_epochs 0', { ...good, nr_epochs: 0 }, ['nr_epochs'], 'out_of_range'],
      ['nr_epochs 201', { ...good, nr_epochs: 201 }, ['nr_epochs'], 'out_of_range'],
      ['nr_epochs 1.5', { ...good, nr_epochs: 1.5 }, ['nr_epochs'], 'wrong_type'],
      ['nr_epochs "3"', { ...good, nr_epochs: '3' }, ['nr_epochs'], 'wrong_type'],
      ['learning_rate 0', { ...good, learning_rate: 0 }, ['learning_rate'], 'out_of_range'],
      ['learning_rate "fast"', { ...good, learning_rate: 'fast' }, ['learning_rate'], 'wrong_type'],
      ['batch_size 0', { ...good, batch_size: 0 }, ['batch_size'], 'out_of_range'],
      [
        'validation share 20',
        { ...good, validation_data_percentage: 20 },
        ['validation_data_percentage'],
        'out_of_range',
      ],
      [
        'validation share 0',
        { ...good, validation_data_percentage: 0 },
        ['validation_data_percentage'],
        'out_of_range',
      ],
      ['patience -1', { ...good, early_stopping_patience: -1 }, ['early_stopping_patience'], 'out_of_range'],
      ['lora_r 0', { ...good, lora_r: 0 }, ['lora_r'], 'out_of_range'],
      ['lora_alpha -1', { ...good, lora_alpha: -1 }, ['lora_alpha'], 'out_of_range'],
      ['lora_dropout 1', { ...good, lora_dropout: 1 }, ['lora_dropout'], 'out_of_range'],
      ['an unknown schedule', { ...good, lr_scheduler_type: 'step' }, ['lr_scheduler_type'], 'not_allowed'],
      ['an unknown training type', { ...good, training_type: 'qlora' }, ['training_type'], 'not_allowed'],
      ['warmup_ratio 2', { ...good, warmup_ratio: 2 }, ['warmup_ratio'], 'out_of_range'],
      ['weight_decay -1', { ...good, weight_decay: -1 }, ['weight_decay'], 'out_of_range'],
      ['save_steps -1', { ...good, save_steps: -1 }, ['save_steps'], 'out_of_range'],
      ['seed -1', { ...good, seed: -1 }, ['seed'], 'out_of_range'],
      ['a seed of 33 bits', { ...good, seed: 2 ** 32 }, ['seed'], 'out_of_range'],
      ['an empty model_name', { ...good, model_name: '' }, ['model_name'], 'out_of_range'],
      ['a model_name of 101', { ...good, model_name: 'x'.repeat(101) }, ['model_name'], 'out_of_range'],
      [
        'a version of the wrong type',
        { ...good, datasets: [{ name: 'trips', version: true }] },
        ['datasets', 0, 'version'],
        'wrong_type',
      ],
      ['project_id of the wrong type', { ...good, project_id: 1 }, ['project_id'], 'wrong_type'],
    ])('%s is 422 and names the field', async (_, body, loc, type) => {
      const answer = await start(body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0]).toMatchObject({ loc: ['body', ...loc], type });
      expect(answer.body.detail).toContain(String(loc.at(-1)));
    });

    it.each<[string, object]>([
      ['an unknown base model', { ...good, base_model: 'no/such' }],
      ['a base model of a UUID that is nothing', { ...good, base_model: '0190f3c4-0000-7000-8000-000000000000' }],
      ['an unknown dataset', { ...good, datasets: [{ name: 'nope' }] }],
      ['an unknown version', { ...good, datasets: [{ name: 'trips', version: 99 }] }],
      ['an unknown project', { ...good, project_id: '0190f3c4-0000-7000-8000-000000000000' }],
    ])('%s is 404', async (_, body) => {
      const answer = await start(body);
      expect([answer.status, typeof answer.body.detail]).toEqual([404, 'string']);
    });

    it('a dataset that is not ready is 409, naming its state', async () => {
      await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'waiting', filename: 'a.jsonl' });
      const answer = await start({ ...good, datasets: [{ name: 'waiting' }] });
      expect(answer.status).toBe(409);
      expect(answer.body.detail).toMatch(/initialized/);
    });

    it('reports a missing dataset before one that is not ready', async () => {
      await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'not yet', filename: 'a.jsonl' });
      const answer = await start({ ...good, datasets: [{ name: 'not yet' }, { name: 'nope' }] });
      expect([answer.status, answer.body.detail]).toEqual([404, 'dataset "nope" does not exist']);
    });

    it('an unknown job is 404 on every route', async () => {
      for (const path of ['', '/logs', '/checkpoints']) {
        const { status } = await api.call('GET', `/felix/training-jobs/nope${path}`);
        expect([path, status]).toEqual([path, 404]);
      }
      expect((await api.call('POST', '/felix/training-jobs/nope/stop')).status).toBe(404);
    });

    it.each([
      ['limit=0', 422],
      ['after=x', 400],
      ['after=-1', 422],
    ])('logs with %s are %d', async (query, expected) => {
      const { body } = await api.call('GET', '/felix/training-jobs?limit=1');
      const { status } = await api.call('GET', `/felix/training-jobs/${body.training_jobs[0].id}/logs?${query}`);
      expect(status).toBe(expected);
    });
  });
});
