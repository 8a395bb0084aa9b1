import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { JsonObject } from '#domain/json.js';
import { openSecretKey } from '#test/support/open-secret-key.js';
import { checkpointNow } from '#test/support/audited.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { eventually } from '#test/support/eventually.js';
import { archiveOperations } from './audit-archive.js';
import { auditOperations } from './audit-restart.js';
import { exportAudit, verifyAudit, verifyExportFile } from './audit.js';
import { eventOperations } from './events.js';

const MODEL = 'anneal/encoder-base-v1';
/** With the events of the start, more than a bundle of the tree, whether a call is one event or two. */
const CALLS = 280;

describeEmbedded('the archive of a log', 'it verifies and changes files of a data folder', () => {
  let recorded: string;
  let dataDir: string;
  let api: TestApi;
  let ids: string[];
  const key = `pio_sk_${'a'.repeat(43)}`;
  const segments = () => join(dataDir, 'objects', 'objects', 'log-archive');
  const start = async () => {
    api = await startTestApi({ dataDir, bootstrapApiKey: key });
    await api.drained();
  };
  const archive = async (before = new Date().toISOString()) =>
    (await Array.fromAsync(
      archiveOperations(api.application)['audit.archive']!({ before }, AbortSignal.timeout(60_000)),
    )) as JsonObject[];
  const textOf = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body.input?.text ?? null;
  const places = () => ({
    eventStore: { adapter: 'sqlite', directory: dataDir } as const,
    objectStore: { kind: 'folder', directory: join(dataDir, 'objects') } as const,
  });
  const verify = async () =>
    (await Array.fromAsync(
      verifyAudit({
        ...places(),
        ...{ keys: [], checkpoints: [] },
        contents: {
          secret: openSecretKey(dataDir, api.settings.secretKey),
          keys: { adapter: 'sqlite', directory: join(dataDir, 'keys') },
        },
      }),
    )) as JsonObject[];
  const texts = () => {
    const log = new DatabaseSync(join(dataDir, 'log.db'), { readOnly: true });
    const { kept } = log.prepare("SELECT count(*) AS kept FROM events WHERE data <> ''").get() as { kept: number };
    log.close();
    return kept;
  };

  beforeAll(async () => {
    recorded = dataDir = await mkdtemp(join(tmpdir(), 'anneal-recorded-'));
    await start();
    const call = async (_: unknown, number: number) => {
      const text = `Ada lives in London, at number ${number}.`;
      return (await api.call('POST', '/inference', { model_id: MODEL, text, schema: ['city'] })).body.inference_id;
    };
    ids = await Promise.all(Array.from({ length: CALLS }, call));
    await api.close();
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-archived-'));
    await cp(recorded, dataDir, { recursive: true });
    await start();
  });
  afterAll(() => rm(recorded, { recursive: true }));
  afterEach(async () => {
    await api.close();
    await rm(dataDir, { recursive: true });
  });

  it('has the texts of old calls in place of the log, which reads, verifies, exports and rebuilds as before', async () => {
    const { storedEvents } = api.application;
    const before = await Array.fromAsync(storedEvents.readAll());
    const kept = texts();
    const [archived] = await archive();
    expect(archived).toMatchObject({ segments: 1, events: expect.any(Number) });
    expect(archived!['events']).toBeGreaterThan(200);
    // The event that records it is new.
    expect(texts()).toBe(kept - (archived!['events'] as number) + 1);
    expect((await Array.fromAsync(storedEvents.readAll())).slice(0, before.length)).toEqual(before);
    const [event] = await Array.fromAsync(storedEvents.readStream('log-archive'));
    expect(event).toMatchObject({
      type: 'log-archived.v1',
      data: { after: null, to: archived!['to'], events: archived!['events'], segments: 1 },
      metadata: { actor: 'system:operator' },
    });
    expect(await archive()).toMatchObject([{ events: 0, segments: 0, to: archived!['to'] }]);

    await api.close();
    expect(await verify()).toMatchObject([
      { verified: true, uncovered: 0, calls: CALLS, contents: CALLS, contentsUnchecked: 0 },
    ]);
    const file = join(dataDir, 'exported.jsonl');
    const scope = { stream: null, from: null, to: null };
    await writeFile(file, await Array.fromAsync(exportAudit({ ...places(), scope })));
    expect(await Array.fromAsync(verifyExportFile(file, []))).toMatchObject([{ verified: true, unproven: 0 }]);

    await rm(join(dataDir, 'read'), { recursive: true });
    await start();
    const audit = async () => (await api.call('GET', '/health')).body.details.audit as JsonObject;
    await eventually(async () => (await audit())['state'] === 'checked');
    expect(await audit()).not.toHaveProperty('problems');
    expect(await textOf(ids[0]!)).toBe('Ada lives in London, at number 0.');
    expect((await api.call('GET', `/inferences/${ids[0]!}/lineage`)).status).toBe(200);
    const [checked] = await Array.fromAsync(
      eventOperations(api.application.openedEvents, (options) => api.application.storedEvents.check(options))[
        'events.check'
      ]!({}, AbortSignal.timeout(60_000)),
    ).then((frames) => frames.slice(-1));
    expect(checked).toMatchObject({ damaged: 0, unchecked: archived!['events'] });
  });

  it('gives nothing of a call that was erased before or afterwards', async () => {
    const [first, second] = ids as [string, string];
    expect((await api.call('DELETE', `/inferences/${first}`)).status).toBe(200);
    await checkpointNow(api);
    await archive();
    expect((await api.call('DELETE', `/inferences/${second}`)).status).toBe(200);
    await api.close();
    await rm(join(dataDir, 'read'), { recursive: true });
    await start();
    expect([await textOf(first), await textOf(second)]).toEqual([null, null]);
    expect(await textOf(ids[2]!)).toBe('Ada lives in London, at number 2.');
    await api.close();
    expect(await verify()).toMatchObject([{ verified: true, contents: CALLS - 2 }]);
  });

  it('is found changed, or missing, by the public key alone', async () => {
    await archive();
    await api.close();
    const [name] = (await readdir(segments())).filter((each) => each.endsWith('.gz'));
    const segment = join(segments(), name!);
    const bytes = await readFile(segment);
    const lines = gunzipSync(bytes).toString().split('\n');
    const at = lines.findIndex((line) => line.includes('call-metered'));
    const { position } = JSON.parse(lines[at]!) as { position: string };
    lines[at] = lines[at]!.replace('"actor\\":\\"', '"actor\\":\\"not-');
    await writeFile(segment, gzipSync(lines.join('\n')));
    expect((await verify())[0]).toMatchObject({ problem: 'changed', position });

    await rm(segment);
    // A start says so in its health, and compares the rest.
    await start();
    const health = async () => (await api.call('GET', '/health')).body;
    await eventually(async () => (await health()).details.audit.state === 'checked');
    expect(await health()).toMatchObject({
      status: 'damaged',
      details: { audit: { intact: false, problems: expect.any(Number), first: { problem: 'object', position } } },
    });
    await api.close();
    const found = await verify();
    expect(found).toContainEqual(
      expect.objectContaining({ problem: 'object', what: `its archive log-archive/${name!} is missing` }),
    );
    expect(found.at(-1)).toMatchObject({ verified: false });

    await writeFile(segment, bytes);
    expect(await verify()).toMatchObject([{ verified: true }]);
  });

  it('takes nothing from a log that is not what was signed, nor anything newer than was asked for', async () => {
    await expect(archive('2999-01-01T00:00:00Z')).rejects.toThrow('--before must be a time in the past');
    expect(await archive('2020-01-01T00:00:00Z')).toMatchObject([{ events: 0, segments: 0, to: null }]);
    await api.close();
    const log = new DatabaseSync(join(dataDir, 'log.db'));
    const metered = "SELECT min(position) FROM events JOIN kinds ON kinds.id = kind WHERE type = 'call-metered.v1'";
    log.exec(
      `UPDATE events SET data = replace(data, '"latencyMs"', '"latency"'), checksum = NULL WHERE position = (${metered})`,
    );
    log.close();
    await start();
    const kept = texts();
    await expect(archive()).rejects.toThrow(/nothing more was removed.*is not the one that was signed/);
    expect(texts()).toBe(kept);
  });

  it('continues after a command that was stopped, and for another tree', async () => {
    const [archived] = await archive();
    const { storedEvents } = api.application;
    const stored = (await Array.fromAsync(storedEvents.readAll())).filter(
      ({ position }) => position <= archived!['to']!,
    );
    await api.close();
    const archivedTexts = texts();
    // As if it had stopped before the texts left the log.
    const log = new DatabaseSync(join(dataDir, 'log.db'));
    const back = log.prepare("UPDATE events SET data = ?, metadata = ? WHERE position = ? AND data = ''");
    for (const { data, metadata, position } of stored)
      back.run(JSON.stringify(data), JSON.stringify(metadata), Number(position));
    log.close();
    expect(texts()).toBeGreaterThan(archivedTexts);
    await start();
    expect(await archive()).toMatchObject([{ events: 0, to: archived!['to'] }]);

    const restart = auditOperations(api.application)['audit.restart']!;
    await Array.fromAsync(restart({ reason: 'the disk was lost' }, AbortSignal.timeout(60_000)));
    await api.close();
    await start();
    await eventually(async () => /\/2\n/.test(String((await api.call('GET', '/audit/checkpoint')).body)));
    expect(await archive()).toMatchObject([{ to: archived!['to'] }]);
    await api.close();
    expect(await verify()).toMatchObject([{ verified: true, restarts: 1, contents: CALLS }]);
  });
});
