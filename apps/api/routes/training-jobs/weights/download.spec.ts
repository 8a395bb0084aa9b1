import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { engine } from '#gpu-runner/engines/builtin/index.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import { drain } from '#gpu-runner/engines/steps.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';

describe('the download of a trained model', () => {
  let api: TestApi;
  let client: TrainingClient;
  let directory: string;
  let jobId: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-download-'));
    api = await sharedTestApi();
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
    const body = { model_name: 'Ävo/../trip finder', base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 3 };
    ({ id: jobId } = await client.start(body));
    await client.ended(jobId);
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const download = (id: string, headers?: Record<string, string>) =>
    api.call('GET', `/felix/training-jobs/${id}/download`, undefined, headers);

  it('is an address that needs no key, of an archive with a readable name', async () => {
    const { status, body } = await download(jobId);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      job_id: jobId,
      download_url: expect.stringMatching(/^http/),
      expires_in_seconds: 3600,
      file_name: `vo-trip-finder-${jobId.slice(0, 8)}.tar.gz`,
    });
    const file = await fetch(body.download_url as string);
    expect([file.status, file.headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="${body.file_name as string}"`,
    ]);
  });

  it('unpacks to a model that the engine loads, with its card', async () => {
    const { body } = await download(jobId);
    const names = await unpack((await fetch(body.download_url as string)).body!, directory);
    const folder = (body.file_name as string).replace('.tar.gz', '');
    expect(names).toContain(`${folder}/README.md`);
    expect(new Set(names.map((name) => name.split('/')[0]))).toEqual(new Set([folder]));
    const model = engine.load(builtin.baseModels[0]!.directory, join(directory, folder));
    expect(model.abilities).toMatchObject({
      entityLabels: ['destination', 'traveller'],
      classLabels: ['booking', 'travel'],
    });
    const text = 'please book Lima for Dora';
    const request = { texts: [text], schema: { entities: [{ name: 'traveller' }] }, threshold: 0.5 };
    const offline = drain(model.infer(request)).results[0]!.entities!['traveller']!;
    const served = await api.call('POST', '/inference', { model_id: jobId, text, schema: ['traveller'] });
    expect(served.body.result.entities.traveller).toEqual(
      offline.map(({ label: _, confidence, ...hit }) => ({ ...hit, confidence: expect.closeTo(confidence, 5) })),
    );
    expect(offline.map((hit) => hit.text)).toEqual(['Dora']);
  });

  it('is signed with a public key that the log records', async () => {
    const { body } = await download(jobId);
    const directoryOfIt = (body.file_name as string).replace('.tar.gz', '');
    await unpack((await fetch(body.download_url as string)).body!, directory);
    const signature = JSON.parse(await readFile(join(directory, directoryOfIt, 'model.sig'), 'utf8'));
    const { body: keys } = await api.call('GET', '/audit/model-keys', undefined, {});
    expect(signature.verificationMaterial.publicKey.hint).toBe(hash('sha256', keys as string));
    const events = await Array.fromAsync(api.application.ports.eventStore.readStream('audit-keys'));
    expect(events.filter(({ type }) => type === 'model-key-made.v1').map(({ data }) => data)).toEqual([
      expect.objectContaining({ publicKey: keys, replaced: null }),
    ]);
  });

  it('is built once for simultaneous requests, and has the same bytes each time', async () => {
    const { objectStore } = api.application.ports;
    await objectStore.delete(`jobs/${jobId}/archive/model.tar.gz`);
    const put = objectStore.put.bind(objectStore);
    const made: string[] = [];
    objectStore.put = (key, ...rest) => {
      made.push(key);
      return put(key, ...rest);
    };
    const asked = await Promise.all([1, 2, 3].map(() => download(jobId)));
    const first = await content(asked[0]!.body.download_url as string);
    expect(made).toEqual([`jobs/${jobId}/archive/model.tar.gz`]);
    objectStore.put = put;
    await objectStore.delete(`jobs/${jobId}/archive/model.tar.gz`);
    expect((await content((await download(jobId)).body.download_url as string)).equals(first)).toBe(true);
  });

  it('stays available after the model has served a call', async () => {
    await api.call('POST', '/inference', { model_id: jobId, text: 'Anna' });
    expect((await client.job(jobId)).status).toBe('deployed');
    expect((await download(jobId)).status).toBe(200);
  });

  it('is 409 before completion, naming the state, and 404 for an unknown job', async () => {
    const long = { base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 200, early_stopping_patience: 0 };
    const { id } = await client.start(long);
    const early = await download(id);
    expect([early.status, early.body.detail]).toEqual([409, expect.stringMatching(/is (requested|running);/)]);
    await api.call('POST', `/felix/training-jobs/${id}/stop`);
    const stopped = await download(id);
    expect([stopped.status, stopped.body.detail]).toEqual([409, expect.stringContaining('is cancelled;')]);
    expect((await download('nope')).status).toBe(404);
    const { key } = await api.colleague();
    expect((await download(jobId, { 'x-api-key': key })).status).toBe(404);
  });

  it('is refused for damaged weights, and leaves no archive', async () => {
    const { objectStore } = api.application.ports;
    await objectStore.delete(`jobs/${jobId}/archive/model.tar.gz`);
    const [file] = await Array.fromAsync(objectStore.list(`jobs/${jobId}/1/artifact/`));
    await objectStore.put(file!.key, Buffer.alloc(file!.size));
    const { status, body } = await download(jobId);
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/damaged: .* differs from the recorded file/)]);
    expect(await objectStore.stat(`jobs/${jobId}/archive/model.tar.gz`)).toBeNull();
  });
});

const content = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

/** @returns the names of the archive's files */
async function unpack(archive: ReadableStream<Uint8Array>, into: string): Promise<readonly string[]> {
  const names: string[] = [];
  const tar = extract();
  const reading = (async () => {
    for await (const entry of tar) {
      names.push(entry.header.name);
      const path = join(into, entry.header.name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Uint8Array>)));
    }
  })();
  await pipeline(Readable.fromWeb(archive as never), createGunzip(), tar);
  await reading;
  return names;
}
