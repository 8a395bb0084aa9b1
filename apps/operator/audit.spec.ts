import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { COSIGNATURE, formatVerifier, parseVerifier, signerOf } from '#audit/checkpoint.js';
import type { ExportScope } from '#audit/export.js';
import { SmallWitness } from '#audit/witness.fixture.js';
import type { JsonObject } from '#domain/json.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { openSecretKey } from '#test/support/open-secret-key.js';
import { auditOperations } from './audit-restart.js';
import { exportAudit, verifyAudit, verifyExportFile, type AuditVerification } from './audit.js';

const MODEL = 'anneal/encoder-base-v1';
const LONG = 'A long text of many words. '.repeat(4_000);

describeEmbedded('the audit of a system', 'it verifies and changes files of a data folder', () => {
  /** The folder of a system that has ended; each test has a copy. */
  let recorded: string;
  let dataDir: string;
  let publicKey: string;
  let secretKey: string | null;
  let projectId: string;
  let longCall: string;
  const tree = (folder = dataDir) => join(folder, 'objects', 'objects', 'audit');
  const olderTree = () => join(dataDir, 'older');

  beforeAll(async () => {
    recorded = await mkdtemp(join(tmpdir(), 'anneal-recorded-'));
    await (await startTestApi({ dataDir: recorded })).close();
    await cp(tree(recorded), join(recorded, 'older'), { recursive: true });
    const api = await startTestApi({ dataDir: recorded });
    projectId = (await api.call('POST', '/projects', { name: 'known' })).body.id;
    const called = async (text: string) =>
      (await api.call('POST', '/inference', { model_id: MODEL, text, schema: ['city'] })).body.inference_id as string;
    expect(await called('Ada lives in London.')).toEqual(expect.any(String));
    longCall = await called(LONG);
    publicKey = ((await api.call('GET', '/audit/key', undefined, {})).body as string).trim();
    ({ secretKey } = api.settings);
    await api.close();
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-audited-'));
    await cp(recorded, dataDir, { recursive: true });
  });
  afterEach(() => rm(dataDir, { recursive: true }));
  afterAll(() => rm(recorded, { recursive: true }));

  const auditOf = async (api: TestApi) => (await api.call('GET', '/health')).body.details.audit as JsonObject;

  const verify = async (keys: readonly string[] = [], contents: AuditVerification['contents'] = null) =>
    (await Array.fromAsync(
      verifyAudit({
        eventStore: { adapter: 'sqlite', directory: dataDir },
        objectStore: { kind: 'folder', directory: join(dataDir, 'objects') },
        ...{ keys, checkpoints: [], contents },
      }),
    )) as JsonObject[];

  it('covers every event with a checkpoint once closed, and detects later changes at the next start', async () => {
    const [summary, ...more] = await verify();
    expect(more).toEqual([]);
    expect(summary).toMatchObject({ verified: true, problems: 0, erased: 0, uncovered: 0, trusted: false });
    expect(summary!['same']).toBe(summary!['size']);

    const log = new DatabaseSync(join(dataDir, 'log.db'));
    const { position } = log.prepare(`SELECT max(position) AS position FROM events`).get() as { position: number };
    log.exec(
      `UPDATE events SET metadata = replace(metadata, '"actor":"', '"actor":"not-'), checksum = NULL WHERE position = ${position}`,
    );
    log.close();
    const api = await startTestApi({ dataDir });
    await eventually(async () => (await auditOf(api))['degraded'] === true);
    expect(await auditOf(api)).toMatchObject({
      problems: 1,
      first: { problem: 'changed', position: String(position).padStart(16, '0') },
    });
    await api.close();
    const [found, last] = await verify();
    expect(found).toMatchObject({ problem: 'changed' });
    expect(last).toMatchObject({ verified: false });
  });

  it('is verified by the public keys as the route lists them, also after a rotation', async () => {
    await rename(join(dataDir, 'secret.key'), join(dataDir, 'secret.key.previous'));
    const api = await startTestApi({ dataDir });
    const keys = (await api.call('GET', '/audit/key', undefined, {})).body as string;
    await api.close();
    expect(keys.trim().split('\n')).toEqual([publicKey, expect.stringMatching(/^anneal\//)]);
    expect(await verify([keys])).toMatchObject([{ verified: true }]);
    // The one of before has not signed what came since.
    expect((await verify([publicKey]))[0]).toMatchObject({ problem: 'tree', what: expect.stringMatching(/rotation/) });
  });

  it('reports a removed tree, until the operator starts another one with a reason', async () => {
    const kept = await readFile(join(tree(), 'checkpoint'), 'utf8');
    await rm(tree(), { recursive: true });
    expect((await verify())[0]).toMatchObject({ problem: 'tree', what: expect.stringMatching(/no checkpoint/) });

    let api = await startTestApi({ dataDir });
    await eventually(async () => 'problems' in (await auditOf(api)));
    expect(await auditOf(api)).toMatchObject({ problems: 1, first: { problem: 'lost', position: null } });
    expect(existsSync(join(tree(), 'checkpoint'))).toBe(false);
    const restart = (reason: string) =>
      Array.fromAsync(auditOperations(api.application)['audit.restart']!({ reason }, AbortSignal.timeout(300_000)));
    await expect(restart(' ')).rejects.toThrow('--reason must be a printable text');
    expect(await restart('the disk was lost')).toMatchObject([
      { tree: 2, replaced: expect.stringContaining('anneal/') },
    ]);
    await api.close();
    api = await startTestApi({ dataDir });
    await eventually(async () => (await api.call('GET', '/audit/checkpoint')).status === 200);
    expect((await api.call('GET', '/audit/checkpoint')).body).toMatch(/^anneal\/\S+\/2\n/);
    expect(await auditOf(api)).not.toHaveProperty('problems');
    const { storedEvents } = api.application;
    const events = await Array.fromAsync(storedEvents.readStream('audit-keys'));
    expect(events.find(({ type }) => type === 'audit-tree-restarted.v1')).toMatchObject({
      data: {
        tree: 2,
        reason: 'the disk was lost',
        replaced: expect.stringContaining(kept.split('\n')[0]!),
      },
      metadata: { actor: 'system:operator' },
    });
    await api.close();
    expect(await verify()).toMatchObject([{ verified: true, restarts: 1, uncovered: 0 }]);
  });

  it.each(['an older tree', 'no tree and no coordination'])('does not continue signing with %s', async (what) => {
    await rm(tree(), { recursive: true });
    if (what === 'an older tree') await cp(olderTree(), tree(), { recursive: true });
    else {
      const coordination = new DatabaseSync(join(dataDir, 'coordination.db'));
      coordination.exec(`DELETE FROM entries WHERE key LIKE 'audit%'`);
      coordination.close();
    }
    const api = await startTestApi({ dataDir });
    await eventually(async () => 'problems' in (await auditOf(api)));
    expect(await auditOf(api)).toMatchObject({ degraded: true, first: { problem: 'lost' } });
    await api.close();
    expect((await verify()).at(-1)).toMatchObject(
      what === 'an older tree' ? { verified: true, uncovered: expect.any(Number) } : { verified: false },
    );
  });

  it('tells how many events are older than the tree, which betrays a tree that was made anew over a changed log', async () => {
    const log = new DatabaseSync(join(dataDir, 'log.db'));
    const begun = `FROM events WHERE kind = (SELECT id FROM kinds WHERE type = 'audit-tree-begun.v1')`;
    const { position } = log.prepare(`SELECT position ${begun}`).get() as { position: number };
    const [before] = await verify();
    expect(before).toMatchObject({ verified: true, begunAfter: position - 1 });
    expect(position).toBeLessThan(before!['size'] as number);

    log.exec(`DELETE ${begun}; UPDATE events SET data = replace(data, 'known', 'other'), checksum = NULL`);
    log.close();
    await rm(tree(), { recursive: true });
    const coordination = new DatabaseSync(join(dataDir, 'coordination.db'));
    coordination.exec(`DELETE FROM entries WHERE key LIKE 'audit%'`);
    coordination.close();
    const api = await startTestApi({ dataDir });
    await eventually(async () => (await api.call('GET', '/audit/checkpoint')).status === 200);
    await api.close();
    const [after] = await verify();
    expect(after).toMatchObject({ verified: true });
    expect(after!['begunAfter']).toBeGreaterThan((before!['size'] as number) - 2);
  });

  it('keeps the abandoned tree beside its successor', async () => {
    let api = await startTestApi({ dataDir });
    const given = { reason: 'it was damaged' };
    await Array.fromAsync(auditOperations(api.application)['audit.restart']!(given, AbortSignal.timeout(300_000)));
    await api.close();
    api = await startTestApi({ dataDir });
    await eventually(async () => /\/2\n/.test(String((await api.call('GET', '/audit/checkpoint')).body)));
    const objects = await Array.fromAsync(api.application.ports.objectStore.list('audit-replaced/'));
    expect(objects.map(({ key }) => key)).toContain('audit-replaced/1/checkpoint');
    await api.close();
    expect(await verify()).toMatchObject([{ verified: true, restarts: 1 }]);
  });

  it('reports that it is checking until all is compared, and then which object was altered', async () => {
    let api = await startTestApi({ dataDir });
    const states = new Set<unknown>();
    await eventually(async () => {
      const { state, progress } = await auditOf(api);
      if (state === 'checking') expect(progress).toMatchObject({ what: expect.any(String), done: expect.any(Number) });
      states.add(state);
      return state === 'checked';
    });
    expect(await auditOf(api)).toMatchObject({ status: 'up', size: expect.any(Number), checkedAt: expect.any(String) });
    expect(await auditOf(api)).not.toHaveProperty('problems');
    const { objectStore } = api.application.ports;
    const [{ key } = { key: '' }] = await Array.fromAsync(objectStore.list('calls/'));
    expect(key).toContain(longCall);
    await objectStore.put(key, Buffer.from('{}'));
    await api.close();
    api = await startTestApi({ dataDir });
    await eventually(async () => 'problems' in (await auditOf(api)));
    expect(await auditOf(api)).toMatchObject({ degraded: true, problems: 1, first: { problem: 'object' } });
    await api.close();
  });

  it('compares contents with their calls by the secret and the keys, and reports those that it could not compare', async () => {
    const secret = openSecretKey(dataDir, secretKey);
    const keys = { adapter: 'sqlite' as const, directory: join(dataDir, 'keys') };
    expect(await verify([], { secret, keys })).toMatchObject([{ verified: true, contents: 2, contentsUnchecked: 0 }]);
    const without = { adapter: 'sqlite' as const, directory: join(dataDir, 'nowhere') };
    expect(await verify([], { secret, keys: without })).toMatchObject([
      { contents: 0, contentsUnchecked: 2, calls: 2 },
    ]);
    expect(await verify()).toMatchObject([{ verified: true, contents: 0, contentsUnchecked: 2, calls: 2 }]);
  });

  it('has its checkpoints cosigned by witnesses, which verification can require', async () => {
    let api: TestApi | null = null;
    const known = Promise.withResolvers<TestApi>();
    const logKeys = known.promise.then(async (system) => {
      const { body } = await system.call('GET', '/audit/key', undefined, {});
      return [parseVerifier((body as string).trim())];
    });
    const witness = await SmallWitness.start(() => logKeys);
    try {
      const auditWitnesses = [{ url: witness.url, key: witness.key }];
      api = await startTestApi({ dataDir, auditWitnesses, webhookOrigins: [witness.url] });
      known.resolve(api);
      const get = (path: string) => api!.call('GET', path);
      await eventually(async () => String((await get('/audit/checkpoint')).body).includes('witness.example'));
      const { audit } = (await get('/health')).body.details;
      expect(audit.witnesses).toEqual([{ host: new URL(witness.url).host, size: audit.size, error: null }]);
    } finally {
      await api?.close();
      await witness.close();
    }
    const demand = async (key: string) =>
      (await Array.fromAsync(
        verifyAudit({
          eventStore: { adapter: 'sqlite', directory: dataDir },
          objectStore: { kind: 'folder', directory: join(dataDir, 'objects') },
          ...{ keys: [], checkpoints: [], witnesses: [key] },
        }),
      )) as JsonObject[];
    expect(await demand(witness.key)).toMatchObject([{ verified: true, trusted: true }]);
    const other = formatVerifier(signerOf('witness.example/w1', Buffer.alloc(32, 9), COSIGNATURE), COSIGNATURE);
    expect(await demand(other)).toMatchObject([{ what: expect.stringMatching(/not cosigned/) }, { verified: false }]);
  });

  it('is verified with a given key only if that key signed', async () => {
    const other = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    expect((await verify([other])).at(-1)).toMatchObject({ verified: false, trusted: false });
    await expect(verify(['x'])).rejects.toThrow('the public key is not NAME+ID+KEY');
  });

  it('is exported as a file that verifies by the public key alone', async () => {
    const file = join(dataDir, 'export.jsonl');
    const check = async (change: Partial<ExportScope>, tamper = (text: string) => text, keys = [publicKey]) => {
      const scope = { stream: null, from: null, to: null, ...change };
      const lines = await Array.fromAsync(
        exportAudit({
          eventStore: { adapter: 'sqlite', directory: dataDir },
          objectStore: { kind: 'folder', directory: join(dataDir, 'objects') },
          scope,
        }),
      );
      await writeFile(file, tamper(lines.join('')));
      return (await Array.fromAsync(verifyExportFile(file, keys))) as JsonObject[];
    };
    const [whole] = await check({});
    expect(whole).toMatchObject({ verified: true, problems: 0, unproven: 0, trusted: false });
    expect(whole!['events']).toBe(whole!['size']);
    const stream = `project-${projectId}`;
    expect(await check({ stream })).toMatchObject([{ verified: true, events: 1 }]);
    expect(await check({ stream, from: '2999-01-01T00:00:00.000Z' })).toMatchObject([{ verified: true, events: 0 }]);
    expect(await check({ to: '2001-01-01T00:00:00.000Z' })).toMatchObject([{ verified: true, events: 0 }]);
    const forged = await check({ stream }, (text) => text.replace('key:', 'key;'));
    expect(forged).toMatchObject([
      { problem: 'changed', what: expect.stringMatching(/^line 2: project-created/) },
      { verified: false },
    ]);
    expect(await check({}, (text) => text, [])).toMatchObject([{ verified: true, trusted: false }]);
  });
});
