import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locationsOf } from '#apps/composition/locations.js';
import { verifyAudit } from '#apps/operator/audit.js';
import { SqliteKeyStore } from '#ports/key-store/sqlite/index.js';
import { openObjectStore } from '#ports/object-store/open.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { onServers } from '#test/deployments/test-api.js';
import { search } from '#test/privacy/search.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { checkpointNow } from '#test/support/audited.js';
import { uploadDataset } from '#test/support/datasets.js';
import { eventually } from '#test/support/eventually.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';

const CANARY = 'Quillonbarrow';
const CONTROL = 'Thistlewickham';
const MODEL = 'anneal/encoder-base-v1';

const rowsWith = (word: string): string =>
  Array.from(
    { length: 40 },
    (_, row) =>
      `${JSON.stringify({ text: `${row} ${word} left for Paris`, entities: [['Paris', 'city']], label: row % 2 ? 'odd' : 'even' })}\n`,
  ).join('');

describe('objects of a dataset version', () => {
  it('have no row in the open, in whatever store they are, and cannot be read from a copy after its erasure', async () => {
    const api = await startTestApi();
    const raw = await openObjectStore(locationsOf(api.settings).objectStore);
    const all = async () => {
      const found: [key: string, bytes: Buffer][] = [];
      for await (const { key } of raw.list('')) {
        const content = await raw.get(key).catch((error: unknown) => {
          // An upload that was sealed is removed meanwhile.
          if (error instanceof ObjectNotFoundError) return null;
          throw error;
        });
        if (content) found.push([key, Buffer.concat(await Array.fromAsync(content))]);
      }
      return found;
    };
    try {
      const { dataset_id: id } = await uploadDataset(api, { dataset_name: 'canary' }, rowsWith(CANARY));
      const copy = (await all()).filter(([key]) => key.includes(id));
      expect(copy.map(([key]) => key.split('/').at(-1)!.split('-')[0])).toEqual(['rows', 'rows', 'source']);
      expect((await all()).filter(([, bytes]) => bytes.includes(CANARY))).toEqual([]);
      const preview = async () => (await api.call('GET', '/felix/datasets/canary/1/preview')).body;
      expect(JSON.stringify(await preview())).toContain(CANARY);
      expect((await api.call('DELETE', '/felix/datasets/canary/1?erase=true')).status).toBe(200);
      for (const [key, bytes] of copy) await raw.put(key, bytes);
      for (const [key] of copy)
        await expect(api.application.ports.objectStore.get(key)).rejects.toThrow(ObjectNotFoundError);
    } finally {
      await raw.close();
      await api.close();
    }
  });
});

(onServers() ? describe.skip : describe)('files after the erasure of a dataset version', () => {
  let folder: string;
  let dataDir: string;
  let api: TestApi;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-erasure-'));
    dataDir = join(folder, 'data');
    api = await start(dataDir);
  });
  afterEach(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (directory: string, bootstrapApiKey?: string) =>
    startTestApi({ dataDir: directory, ...(bootstrapApiKey && { bootstrapApiKey }) }, { engines: QUICK_ENGINES });
  const filesWith = async (text: string, where: string): Promise<readonly string[]> =>
    (await search(where, [text])).map(({ file }) => file);
  const made = async (path: string, body: object): Promise<string> => {
    const { status, body: begun } = await api.call('POST', path, body);
    expect(status).toBeLessThan(300);
    const { body: done } = await api.until(
      () => api.call('GET', `${path}/${begun.id}`),
      (answer) => ['complete', 'failed'].includes(answer.body.status),
    );
    expect(done.status).toBe('complete');
    return begun.id as string;
  };
  const textOf = async (path: string): Promise<string> =>
    (await fetch(`${api.url}${path}`, { headers: { 'x-api-key': api.key } })).text();
  /** Objects that hold a word for whoever has the keys of this system. */
  const readable = async (word: string): Promise<readonly string[]> => {
    const { objectStore } = api.application.ports;
    const found: string[] = [];
    for await (const { key } of objectStore.list('')) {
      const read = async () => Buffer.concat(await Array.fromAsync(await objectStore.get(key)));
      const content = await read().catch((error: unknown) => {
        if (error instanceof ObjectNotFoundError) return '';
        throw error;
      });
      if (content.includes(word)) found.push(key);
    }
    return found;
  };
  const verified = async (where: string) => {
    const [last] = await Array.fromAsync(
      verifyAudit({
        eventStore: { adapter: 'sqlite', directory: where },
        objectStore: { kind: 'folder', directory: join(where, 'objects') },
        ...{ keys: [], checkpoints: [] },
      }),
    );
    return last;
  };

  it('hold none of its rows, nor do a backup that was made before and an older copy of the keys', async () => {
    for (const [name, word] of [
      ['canary', CANARY],
      ['control', CONTROL],
    ] as const) {
      await uploadDataset(api, { dataset_name: name }, rowsWith(word));
      const jobId = await made('/felix/training-jobs', {
        ...{ model_name: name, base_model: MODEL, datasets: [{ name }], nr_epochs: 1 },
      });
      const evaluation = await made('/felix/evaluations', { base_model: jobId, dataset_name: name });
      for (const path of [`datasets/${name}/1/preview`, `datasets/${name}/1/download`, `evaluations/${evaluation}`])
        expect(await textOf(`/felix/${path}`)).toContain(word);
      expect((await readable(word)).map((key) => key.split('/')[0])).toEqual(
        expect.arrayContaining(['datasets', 'evaluations']),
      );
    }
    await api.drained();
    await checkpointNow(api);
    await api.close();
    // No file has rows in the open, the database of read models among them.
    for (const word of [CANARY, CONTROL]) expect(await filesWith(word, dataDir)).toEqual([]);
    const [backup, olderKeys] = [join(folder, 'backup'), join(folder, 'older')];
    await cp(dataDir, backup, { recursive: true, filter: (path) => !/\/(read|keys)$/.test(path) });
    await cp(join(dataDir, 'keys'), olderKeys, { recursive: true });
    // By the public key alone: it needs no key of what is encrypted.
    expect(await verified(backup)).toMatchObject({ verified: true, objects: expect.any(Number) });
    const [rows] = (await readdir(join(backup, 'objects/objects/datasets'), { recursive: true })).filter((path) =>
      path.endsWith('rows-1.jsonl'),
    );
    const file = join(backup, 'objects/objects/datasets', rows!);
    const whole = await readFile(file);
    await writeFile(file, Buffer.concat([whole.subarray(0, -1), Buffer.from([whole.at(-1)! ^ 1])]));
    expect(await verified(backup)).toMatchObject({
      problem: 'object',
      what: expect.stringContaining(`${rows} is not the one that was stored`),
    });
    await writeFile(file, whole);

    api = await start(dataDir);
    // A training evaluates the rows that it held out.
    const { body: listed } = await api.call('GET', '/felix/evaluations');
    const deleted = (listed.evaluations as readonly { readonly id: string; readonly dataset_name: string }[])
      .filter((each) => each.dataset_name === 'canary')
      .map(({ id }) => id);
    expect(deleted).toHaveLength(2);
    for (const id of deleted) expect((await api.call('DELETE', `/felix/evaluations/${id}`)).status).toBe(200);
    const { status, body } = await api.call('DELETE', '/felix/datasets/canary/1?erase=true');
    expect(status).toBe(200);
    await eventually(async () => (await readable(CANARY)).length === 0);
    expect(await readable(CONTROL)).not.toEqual([]);
    const key = api.settings.bootstrapApiKey!;
    await api.close();

    // The backup with the keys of today.
    await cp(join(dataDir, 'keys'), join(backup, 'keys'), { recursive: true });
    api = await start(backup, key);
    await api.drained();
    expect((await api.call('GET', '/felix/datasets/canary/1')).body.status).toBe('ready');
    expect(await readable(CANARY)).toEqual([]);
    expect((await readable(CONTROL)).map((each) => each.split('/')[0])).toEqual(
      expect.arrayContaining(['datasets', 'evaluations']),
    );
    expect((await api.call('GET', '/felix/datasets/canary/1/preview')).status).not.toBe(200);
    expect(await textOf('/felix/datasets/control/1/preview')).toContain(CONTROL);
    await api.close();
    expect(await filesWith(CANARY, backup)).toEqual([]);

    // An older copy of the keys that is put back loses those of what the log says was removed.
    const keysIn = async (directory: string) => {
      const store = new SqliteKeyStore(directory);
      const ids = await store.ids();
      await store.close();
      return ids.filter((id) => [body.certificate.version_id, ...deleted].includes(id.split('/').at(-1)));
    };
    expect(await keysIn(olderKeys)).toHaveLength(3);
    await cp(olderKeys, join(dataDir, 'keys'), { recursive: true });
    api = await start(dataDir, key);
    await eventually(async () => (await keysIn(join(dataDir, 'keys'))).length === 0);
    expect(await textOf('/felix/datasets/control/1/preview')).toContain(CONTROL);
  });
});
