import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider } from '#domain/dataset/index.js';
import { streamName } from '#domain/streams.js';
import { StreamNotFoundError } from '#ports/event-store/port.js';
import type { TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import { NO_FILE, waitingRows } from '#test/support/waiting-rows.js';

const BASE = 'anneal/encoder-base-v1';

describe('deleting a training job', () => {
  let api: TestApi;
  let client: TrainingClient;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-deletion-'));
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const start = (more: object = {}) =>
    client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 2, ...more });
  const remove = (id: string, headers?: Record<string, string>) =>
    api.call('DELETE', `/felix/training-jobs/${id}`, undefined, headers);
  const objects = async (id: string) =>
    (await Array.fromAsync(api.application.ports.objectStore.list(`jobs/${id}/`))).map(({ key }) => key);
  const logIsThere = (id: string) =>
    Array.fromAsync(api.application.ports.eventStore.readStream(streamName('joblog', id))).then(
      () => true,
      (error: unknown) => {
        if (error instanceof StreamNotFoundError) return false;
        throw error;
      },
    );
  /** Number of copies of its weights on the runner's disk. */
  const cached = async (id: string) => {
    const notes = await Array.fromAsync(glob(join(api.settings.dataDir, '**/cache/adapters/*.note.json')));
    return (await Promise.all(notes.map((path) => readFile(path, 'utf8')))).filter((note) => note.includes(id)).length;
  };
  const gone = (id: string) => eventually(async () => (await objects(id)).length === 0 && !(await logIsThere(id)));

  it('removes its weights, checkpoints, archive and log, and makes every route answer 404', async () => {
    const { id } = await start();
    await client.ended(id);
    const [checkpoint] = await client.checkpoints(id);
    const { body: download } = await api.call('GET', `/felix/training-jobs/${id}/download`);
    await client.automaticEvaluation(id);
    expect(await api.call('POST', '/inference', { model_id: id, text: 'Anna' })).toMatchObject({ status: 200 });
    expect([(await objects(id)).length > 3, await logIsThere(id), await cached(id)]).toEqual([true, true, 1]);

    const { status, body } = await remove(id);
    expect([status, body]).toEqual([
      200,
      { success: true, message: 'the training job, its weights, checkpoints and logs are deleted' },
    ]);
    expect((await api.call('POST', '/inference', { model_id: id, text: 'Anna' })).status).toBe(404);
    await gone(id);
    await eventually(async () => (await cached(id)) === 0);
    for (const path of ['', '/logs', '/checkpoints', '/download'])
      expect((await api.call('GET', `/felix/training-jobs/${id}${path}`)).status).toBe(404);
    expect((await api.call('POST', `/felix/training-jobs/${id}/stop`)).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
    expect((await fetch(download.download_url as string)).status).toBe(404);
    for (const base_model of [id, checkpoint!.id]) {
      const body = { base_model, dataset_name: 'trips', datasets: undefined };
      expect((await api.call('POST', '/felix/evaluations', body)).status).toBe(404);
      const training = { base_model, datasets: [{ name: 'trips' }] };
      expect((await api.call('POST', '/felix/training-jobs', training)).status).toBe(404);
    }
    const { body: models } = await api.call('GET', '/felix/trained-models');
    expect((models.models as { id: string }[]).map((model) => model.id)).not.toContain(id);
    const evaluations = await api.call('GET', `/felix/evaluations?training_job_id=${id}`);
    expect(evaluations.body.evaluations[0]).toMatchObject({ status: 'complete', automatic: true });
  });

  it('stops a running job, and releases its datasets', async () => {
    await uploadDataset(api, { dataset_name: 'held', filename: 'a.jsonl' }, waitingRows(2, NO_FILE));
    const { id } = await start({ datasets: [{ name: 'held' }] });
    await client.until(id, ({ current_epoch }) => current_epoch > 0);
    const { body: session } = await api.call('GET', '/auth/session', undefined, {
      authorization: `Bearer ${api.session}`,
    });
    const claims = async () => {
      const stream = datasetStreamId(session.workspace_id as string, 'held');
      return (await api.application.load(datasetDecider, stream)).claims.length;
    };
    expect(await claims()).toBe(1);
    expect((await api.call('DELETE', '/felix/datasets/held')).status).toBe(409);
    expect((await remove(id)).status).toBe(200);
    await api.until(claims, (count) => count === 0);
    expect((await api.call('DELETE', '/felix/datasets/held')).status).toBe(200);
    await gone(id);
    // Files that its process stored while it was being stopped are removed too.
    const next = await start({ nr_epochs: 1 });
    await client.ended(next.id);
    expect([await objects(id), await logIsThere(id)]).toEqual([[], false]);
  });

  it('leaves jobs that started from its checkpoints unchanged', async () => {
    const { id } = await start();
    await client.ended(id);
    const [checkpoint] = await client.checkpoints(id);
    const deleted = join(directory, 'deleted');
    await uploadDataset(api, { dataset_name: 'child', filename: 'a.jsonl' }, waitingRows(2, deleted));
    const child = await start({ base_model: checkpoint!.id, datasets: [{ name: 'child' }] });
    expect((await remove(id)).status).toBe(200);
    await gone(id);
    await writeFile(deleted, '');
    expect(await client.ended(child.id)).toMatchObject({ status: 'complete', root_job_id: id });
    const later = (await client.checkpoints(child.id)).at(-1);
    const grandchild = await start({ base_model: later!.id, nr_epochs: 1 });
    expect(await client.ended(grandchild.id)).toMatchObject({ status: 'complete', root_job_id: id });
  });

  it('races with stopping and with completion: one outcome is recorded, and nothing is left', async () => {
    const jobs = await Promise.all([1, 2, 3, 4].map(() => start({ nr_epochs: 1 })));
    for (const [turn, { id }] of jobs.entries()) {
      // Every other one is about to complete.
      if (turn % 2 === 1) await client.until(id, ({ current_epoch }) => current_epoch > 0);
      const both = [remove(id), api.call('POST', `/felix/training-jobs/${id}/stop`), remove(id)];
      const [first, stop, second] = (await Promise.all(both)).map(({ status }) => status);
      expect([first, second].includes(200)).toBe(true);
      expect([200, 404, 409]).toContain(stop);
      await gone(id);
      const types = (await Array.fromAsync(api.application.ports.eventStore.readStream(streamName('job', id)))).map(
        ({ type }) => type,
      );
      const ends = types.filter((type) => /-(completed|failed|cancelled)\.v1$/.test(type) && !/epoch/.test(type));
      expect([ends.length, types.filter((type) => type === 'training-job-deleted.v1').length]).toEqual([1, 1]);
    }
  });
});
