import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AccountBook } from '#application/accounts/index.js';
import { OperationError } from '#apps/operator/operation.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { uploadDataset } from '#test/support/datasets.js';
import { operate } from '#test/support/operate.js';
import { TrainingClient } from '#test/support/training-client.js';
import { BASE, CHAT, catalogIn, engines } from './catalog.js';
import { SECRET } from './engine.js';

const BUILT_IN = 'anneal/encoder-base-v1';
const run = promisify(execFile);
const chats = (answer: (row: number) => string) =>
  Array.from({ length: 20 }, (_, row) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: `where is parcel ${row}?` },
        { role: 'assistant', content: answer(row) },
      ],
    }),
  ).join('\n');

describe('the export of a trained model', () => {
  let api: TestSystem;
  let client: TrainingClient;
  let directory: string;
  let jobId: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'exports-'));
    api = await startTestApi({ modelCatalog: await catalogIn(directory) }, { engines });
    client = new TrainingClient(api);
    jobId = await trained('Parcels | #1', 'chats', (row) => `in Lima, street ${row}`);
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  async function trained(name: string, dataset: string, answer: (row: number) => string, base = CHAT) {
    const facts = { dataset_name: dataset, dataset_type: 'decoder', filename: 'a.jsonl' };
    await uploadDataset(api, facts, chats(answer));
    const { id } = await client.start({ base_model: base, datasets: [{ name: dataset }], model_name: name });
    await client.ended(id);
    return id;
  }
  const ask = (format: string, id = jobId) => api.call('PUT', `/felix/training-jobs/${id}/exports/${format}`);
  const list = async (id = jobId) => (await api.call('GET', `/felix/training-jobs/${id}/exports`)).body;
  const download = (format: string, id = jobId) =>
    api.call('GET', `/felix/training-jobs/${id}/download?format=${format}`);
  const ended = async (format: string, id = jobId) => {
    const { exports } = await api.until(
      () => list(id),
      ({ exports: all }) =>
        all.some(
          (each: { format: string; status: string }) =>
            each.format === format && ['complete', 'failed'].includes(each.status),
        ),
    );
    return exports.find((each: { format: string }) => each.format === format);
  };
  const setLimit = async (value: number | null) => {
    await operate(api, 'team.limit', { limit: 'exports', value });
    api.app.get(AccountBook).drop((await api.call('GET', '/account')).body.team_id as string);
  };
  /** Unpacks as a person would. @returns the folder */
  const unpacked = async (url: string, name: string): Promise<string> => {
    const folder = join(directory, name);
    await mkdir(folder);
    await writeFile(join(folder, 'model.tar'), Buffer.from(await (await fetch(url)).arrayBuffer()));
    await run('tar', ['-xf', 'model.tar'], { cwd: folder });
    const inside = (await readdir(folder)).filter((each) => each !== 'model.tar');
    expect(inside).toHaveLength(1);
    return join(folder, inside[0]!);
  };

  it('is requested once, made by a runner, and downloaded as a folder with its card and hashes', async () => {
    expect((await download('merged')).status).toBe(409);
    const asked = await ask('merged');
    expect([asked.status, asked.body]).toEqual([
      200,
      expect.objectContaining({ job_id: jobId, format: 'merged', error_message: null, completed_at: null }),
    ]);
    const record = await ended('merged');
    expect(record).toMatchObject({
      ...{ status: 'complete', progress_percent: 100, error_message: null },
      ...{ size_bytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect((await ask('merged')).body).toEqual(record);
    const { status, body } = await download('merged');
    expect([status, body.file_name]).toEqual([200, `Parcels-1-${jobId.slice(0, 8)}-merged.tar`]);
    const folder = await unpacked(body.download_url, 'merged');
    expect((await readdir(folder)).toSorted()).toEqual(['README.md', 'SHA256SUMS', 'learned.json']);
    await run('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder });
    const card = await readFile(join(folder, 'README.md'), 'utf8');
    expect(card).toMatch(
      /^---\nlibrary_name: "transformers"\npipeline_tag: "text-generation"\nbase_model: "test\/parrot-chat"\n/,
    );
    expect(card).toContain('license: "mit"\ndatasets:\n- "chats"\ntags:\n- "anneal"\n');
    expect(card).toContain('# Parcels \\| \\#1\n');
    expect(card).toContain(`| training job | \`${jobId}\` |`);
    expect(card).toMatch(/\| chats \| 1 \| 20 \| `[0-9a-f]{64}` \|/);
    expect(card).toContain('| engine | parrot 1 |');
    expect(card).toContain('| loraR | 8 |');
    expect(card).not.toMatch(/Lima|parcel \d/);
  });

  it("fails with the engine's reason, and is retried when requested again", async () => {
    const id = await trained('secrets', 'secrets', () => SECRET);
    await ask('merged', id);
    expect(await ended('merged', id)).toMatchObject({ status: 'failed', error_message: 'A secret cannot be merged' });
    const refused = await download('merged', id);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('A secret cannot be merged')]);
    expect((await ask('merged', id)).body.status).toBe('queued');
    await ended('merged', id);
    await ask('adapter', id);
    expect((await ended('adapter', id)).status).toBe('complete');
  });

  it("is refused with 429 and the queue's length when that is full, but not if it is already queued", async () => {
    const id = await trained('queued', 'queued', () => 'x');
    await setLimit(0);
    const { status, body } = await ask('merged', id);
    expect([status, body]).toEqual([
      429,
      {
        detail: expect.stringMatching(/^this workspace has 0 exports waiting or running, and may have 0; wait until/),
        ...{ code: 'queue_full', scope: 'exports', queue_length: 0 },
      },
    ]);
    expect((await ask('merged')).body.status).toBe('complete');
    await setLimit(null);
    expect((await ask('merged', id)).status).toBe(200);
    expect((await ended('merged', id)).status).toBe('complete');
  });

  it('is refused by name in a format that is unknown or that its base lacks', async () => {
    const unknown = await ask('marble');
    expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringContaining('adapter, merged')]);
    const onBase = await trained('base', 'plain', () => 'x', BASE);
    const refused = await ask('merged', onBase);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringContaining(`models trained on ${BASE} cannot be exported`),
    ]);
  });

  it('requires a finished job of the workspace', async () => {
    expect((await ask('merged', 'nope')).status).toBe(404);
    const { key } = await api.colleague();
    const theirs = await api.call('PUT', `/felix/training-jobs/${jobId}/exports/merged`, undefined, {
      'x-api-key': key,
    });
    expect(theirs.status).toBe(404);
    await uploadDataset(api, { dataset_name: 'spans' }, '{"text":"To Lima","entities":[["Lima","city"]]}\n'.repeat(20));
    const body = { base_model: BUILT_IN, datasets: [{ name: 'spans' }], nr_epochs: 200, early_stopping_patience: 0 };
    const { id } = await client.start(body);
    expect((await ask('merged', id)).status).toBe(409);
    await api.call('POST', `/felix/training-jobs/${id}/stop`);
  });

  it('is removed with its job, and then no route shows it', async () => {
    const id = await trained('gone', 'goers', () => 'x');
    await ask('adapter', id);
    await ended('adapter', id);
    await api.drained();
    const { body } = await download('adapter', id);
    await api.call('DELETE', `/felix/training-jobs/${id}`);
    expect((await api.call('GET', `/felix/training-jobs/${id}/exports`)).status).toBe(404);
    // No event tells of it.
    await eventually(async () => (await fetch(body.download_url)).status === 404);
  });

  describe("the operator's command", () => {
    const exported = (args: Record<string, string>) =>
      operate(api, 'models.export', { job: jobId, as: 'adapter', ...args });

    it('waits for it and unpacks it into a new folder', async () => {
      const out = join(directory, 'out', 'adapter');
      const frames = await exported({ out });
      expect(frames.at(-1)).toEqual({ job: jobId, as: 'adapter', folder: out, bytes: expect.any(Number) });
      await run('sha256sum', ['-c', 'SHA256SUMS'], { cwd: out });
      await expect(exported({ out })).rejects.toThrow(/exists already/);
      expect(await readdir(join(directory, 'out'))).toEqual(['adapter']);
    });

    it('says in one line what cannot be exported', async () => {
      const refused = exported({ job: 'nope', out: join(directory, 'nope') });
      await expect(refused).rejects.toThrow(OperationError);
      await expect(refused).rejects.toThrow('there is no training job nope');
      await expect(exported({ as: 'marble', out: join(directory, 'nope') })).rejects.toThrow(/--as must be one of/);
    });

    it("is refused in one line while the workspace's queue or storage is full, unless the export exists", async () => {
      const id = await trained('capped', 'capped', () => 'x');
      const out = join(directory, 'out', 'capped');
      await setLimit(0);
      await expect(exported({ job: id, out })).rejects.toThrow(
        'the workspace has 0 exports waiting or running, and may have 0; wait until some have ended, or see: anneal team limit exports',
      );
      await exported({ out: join(directory, 'out', 'again') });
      await setLimit(null);
      await operate(api, 'team.limit', { limit: 'stored_bytes', value: 0 });
      await expect(exported({ job: id, out })).rejects.toThrow(/stored/);
      await operate(api, 'team.limit', { limit: 'stored_bytes', value: null });
    });

    it('leaves no folder for a damaged export', async () => {
      const { objectStore } = api.application.ports;
      const [{ key, size }] = (await Array.fromAsync(objectStore.list(`jobs/${jobId}/exports/adapter/`))) as [
        { key: string; size: number; version: string },
      ];
      await objectStore.put(key, Buffer.alloc(size));
      await expect(exported({ out: join(directory, 'damaged') })).rejects.toThrow(/is damaged/);
      expect((await readdir(directory)).filter((name) => name.startsWith('damaged'))).toEqual([]);
    });
  });
});
