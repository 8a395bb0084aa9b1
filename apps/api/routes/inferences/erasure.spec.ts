import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '#apps/composition/compose.js';
import { withoutContent, type CallMetered } from '#domain/inference/index.js';
import { Documents } from '#log/projector/documents.js';
import type { Projection } from '#log/projector/projection.js';
import { inferences } from '#projections/inferences/projection.js';
import { reviews } from '#projections/reviews/projection.js';
import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { onServers } from '#test/deployments/test-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { search } from '#test/privacy/search.js';

/** Files of a folder that hold each of these texts. */
const filesWith = async (texts: readonly string[], folder: string): Promise<readonly (readonly string[])[]> => {
  const found = await search(folder, texts);
  return texts.map((text) => found.filter((each) => each.text === text).map(({ file }) => file));
};

const CANARY = 'Quillonbarrow';
const CONTROL = 'Thistlewickham';
const MODEL = 'anneal/encoder-base-v1';
const SCHEMA = ['person', 'city'];

describe('erasure of recorded calls', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startTestApi()));
  afterAll(() => api.close());

  const recorded = async (text: string, user?: string, filler = ''): Promise<string> => {
    const { status, body } = await api.call('POST', '/v1/chat/completions', {
      ...{ model: MODEL, schema: SCHEMA, ...(user !== undefined && { user }) },
      messages: [
        { role: 'user', content: filler },
        { role: 'user', content: `${text} flew from Lisbon to Berlin.` },
      ],
    });
    expect(status).toBe(200);
    return body.x_pioneer.inference_id as string;
  };
  const read = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body as Record<string, unknown>;
  const correct = (id: string, person: string) =>
    api.call('POST', `/inferences/${id}/feedback`, {
      ...{ verdict: 'incorrect', notes: `it is ${person}`, corrected_output: { entities: { person: [person] } } },
    });

  it('leaves the record and its price, and no content of the call and its correction', async () => {
    const id = await recorded(`Ada ${CANARY}`);
    expect((await correct(id, CANARY)).status).toBe(200);
    expect((await api.call('POST', `/review/${id}/skip`, { reason: CANARY })).status).toBe(200);
    const { cost, created_at: createdAt } = await read(id);
    const { status, body: certificate } = await api.call('DELETE', `/inferences/${id}`);
    expect(status).toBe(200);
    expect(certificate).toMatchObject({
      ...{ object: 'erasure_certificate', inference_id: id, erased_by: expect.stringMatching(/^key:/) },
      event: { type: 'call-content-erased.v1', stream: `erasure-${id}`, revision: 0 },
      ...{ learned: { dataset_versions: [], jobs: [] }, erased_with: [], remains: [] },
    });
    expect(certificate.keys).toHaveLength(3);
    await api.drained();
    const after = await read(id);
    expect(after).toMatchObject({ cost, created_at: createdAt, erased_at: certificate.erased_at });
    expect(after).toMatchObject({
      input: null,
      output: null,
      human_verdict: 'incorrect',
      human_corrected_output: null,
    });
    expect((await api.call('DELETE', `/inferences/${id}`)).body).toEqual(certificate);
    const { body: listed } = await api.call('GET', `/inferences?text=${CANARY}`);
    expect(listed.total).toBe(0);
    for (const category of ['feedback', 'review'])
      expect(JSON.stringify((await api.call('GET', `/events?stream=${category}-${id}`)).body)).not.toContain(CANARY);
  });

  it('leaves read models that equal a rebuild from the log', async () => {
    const id = await recorded(`Ada ${CANARY}`);
    await correct(id, CANARY);
    await api.call('POST', `/review/${id}/skip`, { reason: CANARY });
    await api.drained();
    await api.call('DELETE', `/inferences/${id}`);
    await api.drained();
    const { eventStore, readStore } = api.application.ports;
    const log = await Array.fromAsync(eventStore.readAll());
    for (const projection of [inferences, reviews] as readonly unknown[] as readonly Projection[]) {
      const live = await new Documents(projection).get(readStore, id);
      expect(live).not.toBe(null);
      expect([projection.name, live]).toEqual([
        projection.name,
        (await expectLiveEqualsRebuilt(projection, log)).get(id),
      ]);
    }
  });

  it('erases all calls of a data subject, and no others', async () => {
    const own = [await recorded('Ada Lovelace', 'subject-1'), await recorded('Alan Turing', 'subject-1')];
    const other = await recorded('Grace Hopper', 'subject-2');
    await api.drained();
    const { status, body } = await api.call('DELETE', '/inferences?subject=subject-1');
    expect({ status, complete: body.complete }).toEqual({ status: 200, complete: true });
    expect(body.data.map(({ inference_id: id }: { inference_id: string }) => id).sort()).toEqual(own.toSorted());
    await api.drained();
    for (const id of own) expect(await read(id)).toMatchObject({ input: null, output: null });
    expect(await read(other)).toMatchObject({ input: { user: 'subject-2' } });
    expect((await api.call('DELETE', '/inferences?subject=subject-1')).body).toMatchObject({
      data: [],
      complete: true,
    });
  });

  it('names the jobs that trained on the call, and the datasets that still contain its rows', async () => {
    const id = await recorded('Maria Rossi');
    await correct(id, 'Maria Rossi');
    await api.drained();
    const made = await api.call('POST', '/felix/datasets/from-feedback', { dataset_name: 'judged' });
    expect(made.status).toBeLessThan(300);
    const { body } = await api.call('DELETE', `/inferences/${id}`);
    expect(body.learned.dataset_versions).toMatchObject([{ name: 'judged', version: 1 }]);
    expect(body.remains).toEqual(['rows of version 1 of dataset judged']);
  });

  it('erases dataset versions with its texts on request and names them, or is refused naming those under hold', async () => {
    const id = await recorded('Clara Schumann');
    await correct(id, 'Clara Schumann');
    await api.drained();
    for (const dataset_name of ['copied', 'copied again'])
      expect((await api.call('POST', '/felix/datasets/from-feedback', { dataset_name })).status).toBe(202);
    await api.until(
      () => api.call('GET', '/felix/datasets/copied again/1'),
      ({ body }) => body.status === 'ready',
    );
    const hold = { kind: 'dataset', id: 'copied', reason: 'case 4' };
    const { body: held } = await api.call('POST', '/account/holds', hold);
    const refused = await api.call('DELETE', `/inferences/${id}?cascade=true`);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      `inference ${id} was not erased: its texts are in version 1 of dataset "copied" (under hold ${held.id})`,
    ]);
    expect(await read(id)).toMatchObject({ input: expect.anything() });
    await api.call('DELETE', `/account/holds/${held.id}?reason=over`);
    const { status, body } = await api.call('DELETE', `/inferences/${id}?cascade=true`);
    expect(status).toBe(200);
    const versions = [{ name: 'copied' }, { name: 'copied again' }];
    expect(body).toMatchObject({ erased_with: versions, learned: { dataset_versions: versions }, remains: [] });
    for (const name of ['copied', 'copied again'])
      expect((await api.call('GET', `/felix/datasets/${name}/1/preview`)).status).toBe(404);
    expect((await api.call('DELETE', `/inferences/${id}`)).body).toEqual(body);
  });

  it('finds the call in the files of its batch, and erases them', async () => {
    const line = { custom_id: 'c1', method: 'POST', url: '/v1/chat/completions' };
    const asked = {
      model: MODEL,
      schema: SCHEMA,
      messages: [{ role: 'user', content: 'Clara flew.' }],
    };
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([JSON.stringify({ ...line, body: asked })]), 'requests.jsonl');
    const uploaded = await fetch(`${api.url}/v1/files`, {
      ...{ method: 'POST', headers: { 'x-api-key': api.key }, body: form },
    });
    const { id: input } = (await uploaded.json()) as { readonly id: string };
    const made = await api.until(
      () =>
        api.call('POST', '/v1/batches', {
          ...{ input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' },
        }),
      ({ status }) => status === 200,
    );
    const { body: ended } = await api.until(
      () => api.call('GET', `/v1/batches/${made.body.id}`),
      ({ body }) => body.status === 'completed',
    );
    const output = await api.call('GET', `/v1/files/${ended.output_file_id}/content`);
    const id = (
      JSON.parse(output.body as string) as {
        readonly response: { readonly body: { readonly x_pioneer: { readonly inference_id: string } } };
      }
    ).response.body.x_pioneer.inference_id;
    const { body } = await api.call('DELETE', `/inferences/${id}?cascade=true`);
    expect(body.erased_with.map(({ version_id: version }: { version_id: string }) => version).toSorted()).toEqual(
      [input, ended.output_file_id].map((file: string) => file.replace('file-', '')).toSorted(),
    );
    for (const file of [input, ended.output_file_id])
      expect((await api.call('GET', `/v1/files/${file}/content`)).status).toBe(404);
  });

  it('refuses a missing subject, and calls that are unknown or of another workspace', async () => {
    expect((await api.call('DELETE', '/inferences')).status).toBe(422);
    expect((await api.call('DELETE', '/inferences/nowhere')).status).toBe(404);
    const id = await recorded('Ada Lovelace', 'shared');
    const { key } = await api.colleague();
    await api.drained();
    expect((await api.call('DELETE', `/inferences/${id}`, undefined, { 'x-api-key': key })).status).toBe(404);
    const theirs = await api.call('DELETE', '/inferences?subject=shared', undefined, { 'x-api-key': key });
    expect(theirs.body).toMatchObject({ data: [] });
    expect(await read(id)).toMatchObject({ input: { user: 'shared' } });
  });

  it('refuses a call that was recorded unencrypted', async () => {
    const id = await recorded('Ada Lovelace');
    await api.drained();
    const { storedEvents, ports } = api.application;
    const [metered] = (
      await Array.fromAsync(ports.eventStore.readAll({ filter: { types: ['call-metered.v1'] } }))
    ).filter(({ data }) => data['inferenceId'] === id);
    const older = id.replace(/.{12}$/, 'aaaaaaaaaaaa');
    const { metadata } = metered!;
    const content = { input: { text: 'plain' }, output: {}, errorMessage: null };
    const { workspaceId } = metered!.data;
    await storedEvents.append('metered-older', { kind: 'no-stream' } as never, [
      {
        id: crypto.randomUUID(),
        type: 'call-metered.v1',
        data: { ...withoutContent(metered!.data as CallMetered['data']), inferenceId: older },
        metadata,
      },
    ]);
    await storedEvents.append('content-older', { kind: 'no-stream' } as never, [
      {
        id: crypto.randomUUID(),
        type: 'call-content.v1',
        data: { inferenceId: older, workspaceId, content },
        metadata,
      },
    ]);
    await api.drained();
    const { status, body } = await api.call('DELETE', `/inferences/${older}`);
    expect({ status, text: JSON.stringify(body) }).toEqual({
      status: 409,
      text: expect.stringContaining('was recorded before contents were encrypted'),
    });
    expect(await read(older)).toMatchObject({ input: { text: 'plain' } });
  });
});

(onServers() ? describe.skip : describe)('files after an erasure', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'anneal-erasure-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('contain nothing of an erased call, and neither does an earlier backup', async () => {
    const dataDir = join(folder, 'data');
    let api = await startTestApi({ dataDir });
    const call = async (text: string, user: string, filler = '') => {
      const { body } = await api.call('POST', '/v1/chat/completions', {
        ...{ model: MODEL, schema: SCHEMA, user },
        messages: [
          { role: 'user', content: filler },
          { role: 'user', content: `Ada ${text} flew from Lisbon to Berlin.` },
        ],
      });
      const id = body.x_pioneer.inference_id as string;
      await api.drained();
      await api.call('POST', `/inferences/${id}/feedback`, {
        ...{ verdict: 'incorrect', notes: text, corrected_output: { entities: { person: [text] } } },
      });
      expect((await api.call('POST', `/review/${id}/skip`, { reason: `asks for ${text}` })).status).toBe(200);
      return id;
    };
    const large = `${'A long text of many words. '.repeat(4_000)}`;
    const ids = [await call(CANARY, 'canary-subject'), await call(CANARY, 'canary-subject', large + CANARY)];
    const control = await call(CONTROL, 'control-subject');
    for (let more = 0; more < 30; more += 1) await call('Lovelace', 'somebody');
    await api.drained();
    const before = await filesWith([CANARY, CONTROL], dataDir);
    expect(before[0]).not.toEqual([]);
    // Contents are encrypted wherever they are kept for long.
    const outside = (files: readonly string[]) => files.filter((file) => !file.startsWith('read/'));
    expect(before.map(outside)).toEqual([[], []]);
    const backup = join(folder, 'backup');
    await api.close();
    await cp(dataDir, backup, { recursive: true, filter: (path) => !/\/(read|keys)$/.test(path) });
    const olderKeys = join(folder, 'older');
    await cp(join(dataDir, 'keys'), olderKeys, { recursive: true });
    api = await startTestApi({ dataDir });
    const { body } = await api.call('DELETE', '/inferences?subject=canary-subject');
    const certificates = body.data as {
      readonly inference_id: string;
      readonly keys: readonly { readonly id: string }[];
    }[];
    expect(certificates.map(({ inference_id: id }) => id).sort()).toEqual(ids.toSorted());
    await api.drained();
    const [ofControl, ...ofErased] = await filesWith(
      [CONTROL, CANARY, CANARY.toLowerCase(), 'canary-subject'],
      dataDir,
    );
    expect(ofErased).toEqual([[], [], []]);
    expect(ofControl).not.toEqual([]);
    expect((await api.call('GET', `/inferences/${control}`)).body.input.user).toBe('control-subject');
    const key = api.settings.bootstrapApiKey!;
    await api.close();
    // The backup with the keys of today.
    await cp(join(dataDir, 'keys'), join(backup, 'keys'), { recursive: true });
    api = await startTestApi({ dataDir: backup, bootstrapApiKey: key });
    await api.drained();
    const whole = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body;
    for (const id of ids) expect(await whole(id)).toMatchObject({ input: null, output: null });
    expect((await whole(control)).input.user).toBe('control-subject');
    const after = await filesWith([CANARY, CONTROL], backup);
    expect(after).toEqual([[], expect.arrayContaining([expect.any(String)])]);
    await api.close();
    // With none, nothing is made in their place, and where they are lost for good, no content comes back.
    for (const name of ['keys', 'read']) await rm(join(backup, name), { recursive: true });
    const values = { dataDir: backup, bootstrapApiKey: key };
    await expect(startTestApi(values)).rejects.toThrow('the keys of contents are missing');
    const { settings } = api;
    await (await compose(settings, { replaceKeys: true })).close();
    api = await startTestApi(values);
    await api.drained();
    for (const id of [...ids, control])
      expect(await whole(id)).toMatchObject({ model_id: expect.any(String), input: null });
    expect(await filesWith([CONTROL], backup)).toEqual([[]]);
    expect((await api.call('POST', '/inference', { model_id: MODEL, text: CONTROL, schema: SCHEMA })).status).toBe(200);
    await api.close();
    // An older copy of the keys that is put back loses what the log says was erased.
    await cp(olderKeys, join(dataDir, 'keys'), { recursive: true });
    api = await startTestApi({ dataDir, bootstrapApiKey: key });
    const destroyed = certificates.flatMap(({ keys }) => keys.map(({ id }) => id));
    expect(destroyed).toHaveLength(6);
    const { contentKeys } = api.application;
    await eventually(async () => (await contentKeys!.fingerprints(destroyed)).length === 0);
    expect((await whole(control)).input.user).toBe('control-subject');
    await api.close();
  });
});
