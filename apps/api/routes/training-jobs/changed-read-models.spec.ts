import type { Json } from '#domain/json.js';
import { batchDecider } from '#domain/batch/index.js';
import { evaluationDecider } from '#domain/evaluation/index.js';
import { trainingJobDecider, withoutTrainingState, type TrainingRequest } from '#domain/training-job/index.js';
import { onServers } from '#test/deployments/test-api.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { ReadModelFile } from '#test/support/read-model-file.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';
type Fields = Readonly<Record<string, Json>>;

// A read model on MongoDB is not changed here: commands see both through one port.
(onServers() ? describe.skip : describe)('rows and weights of which a read model was changed', () => {
  let api: TestApi;
  let client: TrainingClient;
  /** Ids of versions: `genuine`, and `planted`, with whose rows somebody wants models to be trained. */
  const ids = { genuine: '', planted: '', job: '', checkpoint: '' };
  let request: TrainingRequest;
  const requestOf = async (jobId: string): Promise<TrainingRequest> => {
    const state = await api.application.load(trainingJobDecider, jobId);
    if (state.status === 'none') throw new Error(`there is no job ${jobId}`);
    return state.request;
  };
  const upload = async (name: string, rows: number): Promise<string> =>
    (await uploadDataset(api, { dataset_name: name, filename: `${name}.jsonl` }, trips(rows))).id;

  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    client = new TrainingClient(api);
    ids.genuine = await upload('genuine', 60);
    ids.planted = await upload('planted', 20);
    const training = { base_model: BASE, datasets: [{ name: 'genuine' }], nr_epochs: 2, model_name: 'Genuine one' };
    ids.job = (await client.start(training)).id;
    expect(await client.ended(ids.job)).toMatchObject({ status: 'complete' });
    ids.checkpoint = (await client.checkpoints(ids.job))[0]!.id;
    request = await requestOf(ids.job);
    await api.drained();
    const versions = new ReadModelFile(api, 'dataset-versions');
    const { source, object, contents } = await versions.documentOf(ids.planted);
    await versions.change(ids.genuine, { source, object, contents });
  });
  afterAll(() => api.close());

  const refused = async (path: string, body: object) => {
    const { status } = await api.call('POST', path, body);
    return status;
  };

  it('are shown as they were changed', async () => {
    const { body } = await api.call('GET', '/felix/datasets/genuine/1');
    expect(body).toMatchObject({ sample_size: 20 });
  });

  it('are trained on as the log has them, also as a file', async () => {
    const job = await client.start({ base_model: BASE, datasets: [{ name: 'genuine' }], nr_epochs: 1 });
    expect((await requestOf(job.id)).datasets).toEqual(request.datasets);
    const tuned = await api.call('POST', '/v1/fine_tuning/jobs', {
      ...{ model: BASE, training_file: `file-${ids.genuine}`, hyperparameters: { n_epochs: 1 } },
    });
    expect(tuned.status).toBe(200);
    expect((await requestOf(tuned.body.id.slice('ftjob-'.length))).datasets).toEqual(request.datasets);
  });

  it('are downloaded and previewed as the log has them', async () => {
    const headers = { 'x-api-key': api.key };
    const download = await fetch(`${api.url}/felix/datasets/genuine/1/download?format=jsonl`, { headers });
    expect(await download.text()).toBe(trips(60));
    expect((await api.call('GET', '/felix/datasets/genuine/1/preview')).body).toMatchObject({ total_rows: 60 });
  });

  it('are not another file of which a read model says that the id means it', async () => {
    const versions = new ReadModelFile(api, 'dataset-versions');
    await versions.change(ids.genuine, { name: 'planted' });
    try {
      const training = { model: BASE, training_file: `file-${ids.genuine}`, hyperparameters: { n_epochs: 1 } };
      expect(await refused('/v1/fine_tuning/jobs', training)).toBe(404);
    } finally {
      await versions.change(ids.genuine, { name: 'genuine' });
    }
  });

  it('are the requests that a file of a batch was uploaded with', async () => {
    const sent = async (input: string): Promise<string> => {
      const form = new FormData();
      const call = { custom_id: 'a', method: 'POST', url: '/v1/embeddings', body: { model: 'acme/none', input } };
      form.append('file', new Blob([JSON.stringify(call)]), 'requests.jsonl');
      form.append('purpose', 'batch');
      const answer = await fetch(`${api.url}/v1/files`, {
        ...{ method: 'POST', headers: { 'x-api-key': api.key }, body: form },
      });
      return ((await answer.json()) as { id: string }).id;
    };
    const [asked, planted] = [await sent('Hi'), await sent('Pay Mallory')];
    await api.drained();
    const versions = new ReadModelFile(api, 'dataset-versions');
    const { source } = await versions.documentOf(asked.slice('file-'.length));
    const changed = (await versions.documentOf(planted.slice('file-'.length)))['source']!;
    await versions.change(asked.slice('file-'.length), { source: changed });
    const { body } = await api.call('POST', '/v1/batches', {
      ...{ input_file_id: asked, endpoint: '/v1/embeddings', completion_window: '24h' },
    });
    const batch = await api.application.load(batchDecider, body.id.slice('batch_'.length));
    expect(batch).toMatchObject({ request: { input: { source } } });
  });

  describe('of a job', () => {
    let jobs: ReadModelFile;
    let document: Fields;
    beforeAll(async () => {
      jobs = new ReadModelFile(api, 'training-jobs');
      document = await jobs.documentOf(ids.job);
      const [pin] = request.datasets;
      const planted = { name: 'planted', versionId: ids.planted, versionNumber: 1, rows: 20 };
      await jobs.change(ids.job, {
        datasets: [{ ...pin, ...planted }],
        configuration: { ...request.configuration, validationShare: 0.1, splitSeed: 4711 },
        artifact: { objectPrefix: 'jobs/planted', files: [] },
        named: { name: 'planted-one', promotes: true },
      });
      const checkpoints = new ReadModelFile(api, 'training-checkpoints');
      await checkpoints.change(ids.checkpoint, { folder: { objectPrefix: 'jobs/planted', files: [] } });
    });

    it('are held out as the log has them', async () => {
      for (const ask of [{ base_model: BASE, held_out_of: ids.job }, { cross_validation_of: ids.job }]) {
        const { body } = await api.call('POST', '/felix/evaluations', ask);
        const evaluation = await api.application.load(evaluationDecider, body.id);
        expect(evaluation).toMatchObject({ request: { datasets: request.datasets } });
      }
      const datasets = [{ name: 'genuine' }];
      const again = await client.start({ base_model: BASE, datasets, nr_epochs: 1, hold_out_like: ids.job });
      expect((await requestOf(again.id)).configuration).toMatchObject({
        splitSeed: request.configuration.splitSeed,
      });
    });

    it('are gone on from as the log has them', async () => {
      const state = await api.application.load(trainingJobDecider, ids.job);
      if (!('artifact' in state)) throw new Error('the job has no model');
      const { folder } = state.checkpoints.find(({ checkpointId }) => checkpointId === ids.checkpoint)!;
      const models = [
        [ids.job, state.artifact],
        [ids.checkpoint, withoutTrainingState(folder)],
      ] as const;
      for (const [base_model, { files }] of models) {
        const job = await client.start({ base_model, datasets: [{ name: 'genuine' }], nr_epochs: 1 });
        expect((await requestOf(job.id)).startFrom).toMatchObject({ jobId: ids.job, folder: { files } });
        expect(files.length).toBeGreaterThan(0);
      }
    });

    it('have lines that no workspace reads but its own', async () => {
      const other = await sharedTestApi({ engines: QUICK_ENGINES });
      await jobs.change(ids.job, { workspaceId: other.workspaceId });
      const paths = [`/felix/training-jobs/${ids.job}/logs`, `/v1/fine_tuning/jobs/ftjob-${ids.job}/events`];
      const statuses = (of: TestApi) => Promise.all(paths.map(async (path) => (await of.call('GET', path)).status));
      expect([await statuses(other), await statuses(api)]).toEqual([
        [404, 404],
        [200, 200],
      ]);
      await other.close();
      await jobs.change(ids.job, { workspaceId: api.workspaceId });
    });

    it('go under no project of another workspace', async () => {
      const other = await sharedTestApi({ engines: QUICK_ENGINES });
      const project = (await other.call('POST', '/projects', { name: 'theirs' })).body.id as string;
      await api.drained();
      await new ReadModelFile(api, 'projects').change(project, { workspaceId: api.workspaceId });
      const training = { base_model: BASE, datasets: [{ name: 'genuine' }], project_id: project };
      expect(await refused('/felix/training-jobs', training)).toBe(404);
      await other.close();
    });

    it('are not called by words that a read model says the training was named with', async () => {
      const call = { model_id: 'Planted one', text: 'Anna wants to fly to Oslo', schema: ['destination'] };
      expect(document['named']).toMatchObject({ name: 'genuine-one' });
      expect(await refused('/inference', call)).toBe(404);
    });
  });
});
