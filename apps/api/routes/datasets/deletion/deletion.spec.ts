import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';

/** Trainings wait for it, until they are stopped. */
const absent = join(tmpdir(), randomUUID());
const jsonl = Array.from(
  { length: 30 },
  (_, row) => `${JSON.stringify({ text: `wait 1 ${absent} ${row} in Paris`, entities: [['Paris', 'city']] })}\n`,
).join('');
const BASE = 'fastino/gliner2-base-v1';

describe('deleting datasets', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, body?: unknown) => api.call(method, path, body);
  const get = (path: string) => call('GET', `/felix/datasets${path}`);
  const remove = (path: string, headers?: Record<string, string>) =>
    api.call('DELETE', `/felix/datasets${path}`, undefined, headers);
  const train = (name: string, version?: number) =>
    call('POST', '/felix/training-jobs', {
      model_name: 'm',
      base_model: BASE,
      datasets: [{ name, ...(version !== undefined && { version }) }],
      nr_epochs: 1,
    });

  it('removes a version everywhere, and never reuses its number', async () => {
    for (let version = 1; version <= 3; version += 1) await uploadDataset(api, { dataset_name: 'd' }, jsonl);
    const { status, body } = await remove('/d/3');
    expect([status, body]).toEqual([200, { success: true, message: 'version 3 of dataset "d" is deleted' }]);
    for (const rest of ['', '/preview', '/download']) expect((await get(`/d/3${rest}`)).status).toBe(404);
    expect((await get('/d/latest')).body.version_number).toBe('2');
    expect((await get('/d')).body.count).toBe(2);
    const listed = (await get('')).body.datasets as { name: string; version_number: string; version_count: number }[];
    expect(listed.find(({ name }) => name === 'd')).toMatchObject({ version_number: '2', version_count: 2 });
    expect((await remove('/d/3')).status).toBe(404);
    expect((await train('d', 3)).status).toBe(404);
    expect((await uploadDataset(api, { dataset_name: 'd' }, jsonl)).version_number).toBe('4');
    expect((await remove('/d/latest')).body.message).toContain('version 4');
    expect((await remove('/d')).body).toEqual({ success: true, message: 'dataset "d" is deleted: 2 versions' });
    for (const path of ['/d', '/d/1', '/d/latest']) expect((await get(path)).status).toBe(404);
    for (const path of ['/d', '/d/1']) expect((await remove(path)).status).toBe(404);
    expect((await get('?include_failed=true')).body.datasets).not.toContainEqual(
      expect.objectContaining({ name: 'd' }),
    );
    expect((await uploadDataset(api, { dataset_name: 'd' }, jsonl)).version_number).toBe('5');
  });

  it('is 400 for an invalid version, 404 for an unknown one', async () => {
    await uploadDataset(api, { dataset_name: 'mine' }, jsonl);
    expect((await remove('/mine/x')).status).toBe(400);
    for (const path of ['/mine/2', '/mine/0', '/none', '/none/1', '/%00'])
      expect((await remove(path)).status).toBe(404);
    expect((await get('/mine/1')).status).toBe(200);
  });

  it('is allowed while a version is being uploaded or has failed', async () => {
    await call('POST', '/felix/datasets/upload/url', { dataset_name: 'begun' });
    expect((await remove('/begun/1')).status).toBe(200);
    await uploadDataset(api, { dataset_name: 'failed' }, 'x');
    expect((await remove('/failed')).status).toBe(200);
    expect((await get('?include_failed=true')).body.datasets).not.toContainEqual(
      expect.objectContaining({ name: 'failed' }),
    );
  });

  it('is refused while jobs use it; finished jobs stay, and new ones are refused', async () => {
    await uploadDataset(api, { dataset_name: 'used' }, jsonl);
    await uploadDataset(api, { dataset_name: 'used' }, jsonl);
    const job = await train('used', 1);
    expect(job.status).toBe(200);
    const refused = [await remove('/used'), await remove('/used/1')];
    for (const { status, body } of refused)
      expect([status, body.detail]).toEqual([409, expect.stringContaining(job.body.id)]);
    expect((await remove('/used/2')).status).toBe(200);
    await call('POST', `/felix/training-jobs/${job.body.id}/stop`);
    await api.until(
      () => remove('/used'),
      ({ status }) => status === 200,
    );
    const { body } = await call('GET', `/felix/training-jobs/${job.body.id}`);
    expect(body).toMatchObject({ status: 'cancelled', datasets: [{ name: 'used' }] });
    expect((await train('used')).status).toBe(404);
  });

  it('cannot interleave with starting a job on it', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 6; round += 1) {
      const name = `race ${round}`;
      await uploadDataset(api, { dataset_name: name }, jsonl);
      const deleting = () => remove(round % 2 === 0 ? `/${name}` : `/${name}/1`);
      const [job, deleted] = await Promise.all(
        round % 3 === 0 ? [train(name), deleting()] : [train(name), turns(2 * round).then(deleting)],
      );
      outcomes.add(`${job.status}/${deleted.status}`);
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([job.status, deleted.status]);
      if (job.status === 200) await call('POST', `/felix/training-jobs/${job.body.id}/stop`);
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });
});

/** Waits for `count` turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}
