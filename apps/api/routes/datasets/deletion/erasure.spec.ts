import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { datasetVersionDocuments } from '#projections/dataset-versions/queries.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { eventually } from '#test/support/eventually.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const MODEL = 'anneal/encoder-base-v1';
const jsonl = Array.from(
  { length: 12 },
  (_, row) => `${JSON.stringify({ text: `row ${row} in Paris`, entities: [['Paris', 'city']] })}\n`,
).join('');

describe('erasure of a dataset version', () => {
  let api: TestApi;
  beforeAll(async () => (api = await sharedTestApi()));
  afterAll(() => api.close());

  const erase = (path: string, headers?: Record<string, string>) =>
    api.call('DELETE', `/felix/datasets/${path}?erase=true`, undefined, headers);
  const objectsOf = async (part: string) => {
    const all = await Array.fromAsync(api.application.ports.objectStore.list('datasets/'));
    return all.map(({ key }) => key).filter((key) => key.includes(part));
  };
  const ready = (path: string) =>
    api.until(
      () => api.call('GET', `/felix/datasets/${path}`),
      ({ body }) => body.status === 'ready',
    );

  it('removes its files at once, and answers with a certificate that a repeat returns again', async () => {
    const { dataset_id: id } = await uploadDataset(api, { dataset_name: 'gone' }, jsonl);
    const held = await objectsOf(id);
    expect(held.length).toBeGreaterThan(1);
    const { status, body } = await erase('gone/1');
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ success: true, message: 'version 1 of dataset "gone" is erased' },
        certificate: {
          ...{ object: 'dataset_erasure_certificate', name: 'gone', version: 1, version_id: id, rows: 12 },
          ...{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), erased_by: expect.stringMatching(/^key:/) },
          ...{ event: { type: 'dataset-version-purged.v1' }, remains: [] },
          learned: { dataset_versions: [], jobs: [] },
        },
      },
    ]);
    expect(await objectsOf(id)).toEqual([]);
    expect((await api.call('GET', '/felix/datasets/gone/1/preview')).status).toBe(404);
    expect((await erase('gone/1')).body.certificate).toEqual(body.certificate);
    const { erased_at, erased_by, keys, event } = body.certificate;
    const { body: lineage } = await api.call('GET', '/lineage/datasets/gone/1');
    expect(lineage.dataset.erased).toEqual({
      ...{ erased_at, erased_by: expect.objectContaining({ actor: erased_by }), keys, event },
      certificate: '/felix/datasets/gone/1?erase=true',
    });
    expect(lineage.graph.nodes[0].label).toBe('gone/1 (erased)');
  });

  it('names the key of its rows in event and certificate, by the fingerprint that it had', async () => {
    const { dataset_id: id } = await uploadDataset(api, { dataset_name: 'keyed' }, jsonl);
    const [name] = (await objectsOf(id))[0]!.match(/^datasets\/[^/]+\/[^/]+/)!;
    const keys = api.application.contentKeys!;
    const known = await keys.fingerprints([`${name}/0`]);
    expect(known).toEqual([{ id: `${name}/0`, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
    const { event, ...certificate } = (await erase('keyed/1')).body.certificate;
    expect(certificate.keys).toEqual(known);
    expect(await keys.named(name)).toBeNull();
    const { body } = await api.call('GET', `/events?stream=${event.stream}`);
    expect(body.events.at(-1).data).toMatchObject({ versionId: id, erased: true, keys: known });
  });

  it('erases a version that was already deleted', async () => {
    const { dataset_id: id } = await uploadDataset(api, { dataset_name: 'twice' }, jsonl);
    await api.call('DELETE', '/felix/datasets/twice/1');
    expect(await objectsOf(id)).not.toEqual([]);
    expect((await erase('twice/1')).status).toBe(200);
    expect(await objectsOf(id)).toEqual([]);
  });

  it('is refused while a job uses it, and then names the job that trained on it and the datasets that still contain its rows', async () => {
    for (const name of ['used', 'other']) await uploadDataset(api, { dataset_name: name }, jsonl);
    const sources = ['used', 'other'].map((name) => ({ dataset_name: name }));
    expect((await api.call('POST', '/felix/datasets/merge', { sources, output_name: 'both' })).status).toBe(200);
    await ready('both/1');
    const job = await api.call('POST', '/felix/training-jobs', {
      ...{ model_name: 'learner', base_model: MODEL, datasets: [{ name: 'used' }], nr_epochs: 1 },
    });
    const refused = await erase('used/1');
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining(job.body.id)]);
    await api.call('POST', `/felix/training-jobs/${job.body.id}/stop`);
    const { body } = await api.until(
      () => erase('used/1'),
      ({ status }) => status === 200,
    );
    expect(body.certificate).toMatchObject({
      learned: {
        dataset_versions: [{ name: 'both', version: 1 }],
        jobs: [{ job_id: job.body.id, model_name: 'learner' }],
      },
      remains: ['rows of version 1 of dataset both'],
    });
    await erase('both/1');
    expect((await erase('used/1')).body.certificate.remains).toEqual([]);
  });

  it('removes the feedback that a dataset was made from, along with its rows', async () => {
    const { body: called } = await api.call('POST', '/inference', {
      ...{ model_id: MODEL, text: 'then Maria left.', schema: ['person'] },
    });
    await api.call('POST', `/inferences/${called.inference_id}/feedback`, { verdict: 'correct' });
    await api.drained();
    expect((await api.call('POST', '/felix/datasets/from-feedback', { dataset_name: 'said' })).status).toBe(202);
    await ready('said/1');
    const feedback = () => objectsOf(`${api.workspaceId}/feedback/`);
    expect(await feedback()).toHaveLength(2);
    expect((await erase('said/1')).status).toBe(200);
    expect(await feedback()).toEqual([]);
  });

  describe('of a version whose rows the log quotes, since they are not valid', () => {
    const secret = 'Hildegard-Quux';
    const broken = `${jsonl}${JSON.stringify({ text: `${secret} lives here`, entities: [[`${secret}s`, 'person']] })}\n`;
    const onLog = async (id: string) => {
      const filter = { types: ['dataset-version-failed.v1', 'dataset-version-ready.v1'] };
      const events = await Array.fromAsync(api.application.storedEvents.readAll({ filter }));
      return events.filter(({ data }) => data['versionId'] === id);
    };

    /** Files of the read model in the data folder, if it is there: what was replaced stays in a write-ahead log otherwise. */
    const filesWith = async (text: string) => {
      const folder = join(api.settings.dataDir, 'read');
      const names = await readdir(folder).catch(() => []);
      const files = names.filter((each) => each.startsWith('dataset-versions-'));
      const contents = await Promise.all(files.map((each) => readFile(join(folder, each))));
      return files.filter((_, index) => contents[index]!.includes(text));
    };

    it.each([
      { name: 'quoted', onError: 'fail', says: 'row_errors' },
      { name: 'skipped', onError: 'skip', says: 'left_out' },
    ])('$says is encrypted, needs `content`, and is gone with it', async ({ name, onError, says }) => {
      const record = await uploadDataset(api, { dataset_name: name, on_error: onError }, broken);
      expect(JSON.stringify(record[says])).toContain(secret);
      expect(JSON.stringify(await onLog(record.id))).not.toContain(secret);
      const made = await api.call(
        ...(['POST', '/create-api-key', { name: 'a', scopes: ['audit', 'history'] }] as const),
        { authorization: `Bearer ${api.session}` },
      );
      const unpermitted = { 'x-api-key': made.body.secret_key as string };
      await api.drained();
      const shown = async (headers?: Record<string, string>) => {
        const types = 'dataset-version-failed.v1,dataset-version-ready.v1';
        const paths = [`/felix/datasets/${name}/1`, `/felix/datasets/${name}`, `/events/log?type=${types}&limit=1000`];
        const answers = await Promise.all(paths.map((path) => api.call('GET', path, undefined, headers)));
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        return answers.map(({ body }) => JSON.stringify(body).includes(secret));
      };
      expect([await shown(), await shown(unpermitted)]).toEqual([
        [true, true, true],
        [false, false, false],
      ]);
      const { key } = (await onLog(record.id))[0]!.data['sealed'] as { readonly key: string };
      const { certificate } = (await erase(`${name}/1`)).body;
      expect(certificate).toMatchObject({ remains: [], keys: [{}, { id: key }] });
      expect(await api.application.contentKeys!.get(key)).toBeNull();
      await api.drained();
      const document = await datasetVersionDocuments.get(api.application.ports.readStore, record.id);
      expect(JSON.stringify(document)).not.toContain(secret);
      await eventually(async () => (await filesWith(secret)).length === 0);
      expect((await erase(`${name}/1`)).body.certificate).toEqual(certificate);
    });
  });

  it('says of a version that was stored unencrypted that older backups still have its rows', async () => {
    const plain = await startTestApi({ callContents: 'plain' });
    try {
      await uploadDataset(plain, { dataset_name: 'plain' }, jsonl);
      const { body } = await plain.call('DELETE', '/felix/datasets/plain/1?erase=true');
      expect(body.certificate.remains).toEqual([expect.stringMatching(/^rows in backups .* stored unencrypted$/)]);
      const { row_errors: quoting } = await uploadDataset(plain, { dataset_name: 'quoted' }, '{"label":"Quux"}{');
      const { body: erased } = await plain.call('DELETE', '/felix/datasets/quoted/1?erase=true');
      expect(erased.certificate.remains).toContainEqual(
        expect.stringMatching(/^quotes of invalid rows in the event log/),
      );
      const { body: log } = await plain.call('GET', '/events/log?type=dataset-version-failed.v1');
      expect(log.events).toMatchObject([{ data: { reason: null, rowErrors: null, erasedAt: expect.any(String) } }]);
      expect(quoting).toBeDefined();
    } finally {
      await plain.close();
    }
  });

  it('is 404 for a version that is missing', async () => {
    await uploadDataset(api, { dataset_name: 'mine' }, jsonl);
    for (const path of ['mine/2', 'none/1', 'none/latest']) expect((await erase(path)).status).toBe(404);
    expect((await api.call('GET', '/felix/datasets/mine/1/preview')).status).toBe(200);
  });
});
