import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { operate } from '#test/support/operate.js';
import { OperationError } from './operation.js';

const rows = '{"text":"Ada is in Paris","entities":[["Ada","person"],["Paris","city"]]}\n'.repeat(20);

describe("the operator's commands for datasets", () => {
  let api: TestApi;
  let folder: string;
  let file: string;
  beforeAll(async () => {
    api = await startTestApi();
    folder = await mkdtemp(join(tmpdir(), 'benchmarks-'));
    file = join(folder, 'held out.jsonl');
    await writeFile(file, rows);
  });
  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    api.call(method, `/felix/${path}`, body, headers);
  const status = async (path: string) => (await call('GET', `datasets/${path}`)).status;

  describe('restore', () => {
    it('restores a deleted dataset or version, with its rows and numbers', async () => {
      for (let version = 1; version <= 3; version += 1) await uploadDataset(api, { dataset_name: 'd' }, rows);
      const before = (await call('GET', 'datasets/d/2')).body;
      await call('DELETE', 'datasets/d/3');
      await call('DELETE', 'datasets/d');
      expect(await status('d')).toBe(404);
      expect(await operate(api, 'datasets.list', { deleted: true })).toMatchObject(
        [1, 2, 3].map(() => ({ name: 'd', status: 'deleted', rows: 20 })),
      );
      expect(await operate(api, 'datasets.restore', { name: 'd', version: 2 })).toMatchObject([
        { name: 'd', version: 2, status: 'ready' },
      ]);
      const { updated_at: _, ...same } = before;
      expect((await call('GET', 'datasets/d/latest')).body).toMatchObject(same);
      expect((await call('GET', 'datasets/d/2/preview')).body.total_rows).toBe(20);
      expect(await operate(api, 'datasets.restore', { name: 'd' })).toMatchObject([{ version: 1 }, { version: 3 }]);
      expect(await operate(api, 'datasets.restore', { name: 'd' })).toEqual([]);
      expect((await call('GET', 'datasets/d')).body.count).toBe(3);
      expect((await uploadDataset(api, { dataset_name: 'd' }, rows)).version_number).toBe('4');
      expect(await operate(api, 'datasets.list', { deleted: true })).toEqual([]);
    });

    it('refuses versions that cannot be restored', async () => {
      await call('POST', 'datasets/upload/url', { dataset_name: 'begun' });
      await call('DELETE', 'datasets/begun');
      for (const args of [
        {},
        { name: 'nope' },
        { name: 'd', version: 9 },
        { name: 'd', version: 'x' },
        { name: 'begun' },
        { name: 'd', email: 'nobody@example.com' },
      ])
        await expect(operate(api, 'datasets.restore', args)).rejects.toThrow(OperationError);
    });
  });

  describe('benchmarks', () => {
    const add = (name = 'held out') => operate(api, 'datasets.add-benchmark', { path: file, name, type: 'ner' });

    it('are read by all workspaces, after their own datasets, and changed by none', async () => {
      expect(await add()).toMatchObject([{ name: 'held out', version: 1, status: 'ready', rows: 20 }]);
      const { key } = await api.colleague();
      for (const headers of [{ 'x-api-key': api.key }, { 'x-api-key': key }]) {
        const { body } = await call('GET', 'datasets', undefined, headers);
        expect(body.datasets.at(-1)).toMatchObject({ name: 'held out', type: 'benchmark', version_count: 1 });
        expect(body.total).toBe(body.count);
        for (const rest of ['', '/1', '/latest', '/1/preview', '/latest/download?format=csv'])
          expect((await call('GET', `datasets/held out${rest}`, undefined, headers)).status).toBe(200);
        for (const path of ['', '/1', '/latest']) {
          const refused = await call('DELETE', `datasets/held out${path}`, undefined, headers);
          expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('benchmark')]);
        }
        const { body: only } = await call('GET', 'datasets?dataset_type=classification', undefined, headers);
        expect(only.datasets).not.toContainEqual(expect.objectContaining({ name: 'held out' }));
      }
    });

    it('leave out rows that are not valid, and say so', async () => {
      const path = join(folder, 'wrong.jsonl');
      await writeFile(path, '{"text":"a","label":"x"}\n{"text":"","label":"x"}\n');
      const added = (onError?: string) =>
        operate(api, 'datasets.add-benchmark', {
          path,
          name: 'wrong',
          type: 'classification',
          ...(onError && { onError }),
        });
      expect(await added('skip')).toMatchObject([
        { status: 'ready', rows: 1, readAs: '1 of 2 rows left out, not valid', error: null },
      ]);
      expect(await added()).toMatchObject([{ status: 'failed', error: 'row 2: text is empty', readAs: null }]);
      await expect(added('ignore')).rejects.toThrow('--on-error must be one of fail, skip');
      await operate(api, 'datasets.remove-benchmark', { name: 'wrong' });
    });

    it("come after the workspace's own datasets on every page", async () => {
      const all = (await call('GET', 'datasets')).body.datasets as { name: string }[];
      const paged = [];
      for (let offset = 0; offset <= all.length; offset += 1)
        paged.push(...(await call('GET', `datasets?limit=1&offset=${offset}`)).body.datasets);
      expect(paged).toEqual(all);
    });

    it('cannot be uploaded, merged or trained on', async () => {
      const upload = await call('POST', 'datasets/upload/url', { dataset_name: 'x', type: 'benchmark' });
      expect([upload.status, upload.body.errors[0].loc]).toEqual([422, ['body', 'type']]);
      const named = await call('POST', 'datasets/upload/url', { dataset_name: 'held out' });
      expect([named.status, named.body.errors[0].loc]).toEqual([422, ['body', 'dataset_name']]);
      const sources = [{ dataset_name: 'held out' }, { dataset_name: 'd' }];
      const merged = await call('POST', 'datasets/merge', { sources, output_name: 'x' });
      expect([merged.status, merged.body.errors[0].loc]).toEqual([422, ['body', 'sources', 0, 'dataset_name']]);
      const out = await call('POST', 'datasets/merge', { sources: [sources[1], sources[1]], output_name: 'held out' });
      expect([out.status, out.body.errors[0].loc]).toEqual([422, ['body', 'output_name']]);
      const job = await call('POST', 'training-jobs', {
        model_name: 'm',
        base_model: 'fastino/gliner2-base-v1',
        datasets: [{ name: 'held out' }],
      });
      expect([job.status, job.body.detail]).toEqual([409, expect.stringContaining('benchmark')]);
    });

    it('do not take a name from a workspace that already used it', async () => {
      await uploadDataset(api, { dataset_name: 'taken' }, rows);
      await add('taken');
      const next = await call('POST', 'datasets/upload/url', { dataset_name: 'taken' });
      expect([next.status, next.body.version_number]).toEqual([200, '2']);
      const { key } = await api.colleague();
      const other = await call('POST', 'datasets/upload/url', { dataset_name: 'taken' }, { 'x-api-key': key });
      expect(other.status).toBe(422);
      await operate(api, 'datasets.remove-benchmark', { name: 'taken' });
    });

    it('can be evaluated on from any workspace', async () => {
      const { key } = await api.colleague();
      const evaluation = await call(
        'POST',
        'evaluations',
        { base_model: 'fastino/gliner2-base-v1', dataset_name: 'held out' },
        { 'x-api-key': key },
      );
      expect([evaluation.status, evaluation.body]).toMatchObject([
        200,
        { dataset_name: 'held out', version_number: expect.anything() },
      ]);
    });

    it('get further versions from the operator, who removes and restores them', async () => {
      await writeFile(file, 'no rows');
      expect(await add()).toMatchObject([{ version: 2, status: 'failed', error: expect.any(String) }]);
      await writeFile(file, `${rows}${rows}`);
      expect(await add()).toMatchObject([{ version: 3, rows: 40 }]);
      expect(await operate(api, 'datasets.remove-benchmark', { name: 'held out', version: 1 })).toHaveLength(1);
      expect(await status('held out/1')).toBe(404);
      await operate(api, 'datasets.remove-benchmark', { name: 'held out' });
      expect(await status('held out')).toBe(404);
      await operate(api, 'datasets.restore', { name: 'held out', benchmarks: true });
      expect((await call('GET', 'datasets/held out/latest')).body.version_number).toBe('3');
      expect(await operate(api, 'datasets.list', { benchmarks: true })).toHaveLength(2);
    });

    it('refuse invalid arguments', async () => {
      for (const args of [
        { path: join(folder, 'nope'), name: 'x', type: 'ner' },
        { path: folder, name: 'x', type: 'ner' },
        { path: file, name: 'a/b', type: 'ner' },
        { path: file, name: 'x', type: 'records' },
        { path: file, name: 'x', type: 'ner', columns: ['colour=x'] },
        { path: file, name: 'x', type: 'ner', columns: ['text'] },
      ])
        await expect(operate(api, 'datasets.add-benchmark', args)).rejects.toThrow(OperationError);
      await expect(operate(api, 'datasets.remove-benchmark', { name: 'nope' })).rejects.toThrow(OperationError);
      await expect(operate(api, 'datasets.remove-benchmark', { name: 'd' })).rejects.toThrow(OperationError);
    });
  });
});
