import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { extendTree } from '#audit/builder.js';
import { formatVerifier, parseVerifier, readCheckpoint, signerOf, verifierOf } from '#audit/checkpoint.js';
import { publicKeyOf } from '#audit/signing.js';
import { storedPages } from '#audit/stored-pages.js';
import { TreeFiles } from '#audit/tree-files.js';
import { SmallWitness } from '#audit/witness.fixture.js';
import type { JsonObject } from '#domain/json.js';
import { openStoredEvents } from '#ports/event-store/open.js';
import { openObjectStore } from '#ports/object-store/open.js';
import { decodeSecret } from '#primitives/secrets/secret-key.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { signerAt } from '#use-cases/audit/audit-keys.js';
import { verifyAudit } from './audit.js';

describeEmbedded('an operator who holds a whole data folder', 'it changes files of a data folder', () => {
  let folder: string;
  let dataDir: string;
  let kept: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-attacked-'));
    dataDir = join(folder, 'data');
    kept = join(folder, 'kept.txt');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const places = () => ({
    eventStore: { adapter: 'sqlite' as const, directory: dataDir },
    objectStore: { kind: 'folder' as const, directory: join(dataDir, 'objects') },
  });
  const verify = async (keys: readonly string[] = [], checkpoints: readonly string[] = []) =>
    (await Array.fromAsync(verifyAudit({ ...places(), keys, checkpoints }))) as JsonObject[];
  const auditOf = async (api: TestApi) => (await api.call('GET', '/health')).body.details.audit as JsonObject;
  const keyOf = async (api: TestApi) => String((await api.call('GET', '/audit/key', undefined, {})).body).trim();
  const checkpointOf = (data: string) => join(data, 'objects', 'objects', 'audit', 'checkpoint');
  const keepCheckpoint = () => cp(checkpointOf(dataDir), kept);

  it('cannot put back an older copy of all of it: a later checkpoint and a witness betray that', async () => {
    const key = Promise.withResolvers<string>();
    const witness = await SmallWitness.start(async () => [parseVerifier(await key.promise)]);
    const witnessed = {
      dataDir,
      auditWitnesses: [{ url: witness.url, key: witness.key }],
      webhookOrigins: [witness.url],
    };
    try {
      let api = await startTestApi(witnessed);
      key.resolve(await keyOf(api));
      await api.close();
      await cp(dataDir, join(folder, 'older'), { recursive: true });
      api = await startTestApi(witnessed);
      await api.call('POST', '/projects', { name: 'regretted' });
      await api.close();
      const older = readCheckpoint(await readFile(checkpointOf(join(folder, 'older')), 'utf8'));
      // A start signs what an end had no time for.
      api = await startTestApi(witnessed);
      await eventually(async () => witness.newest.size > older.size);
      await api.close();
      await keepCheckpoint();
      await rm(dataDir, { recursive: true });
      await cp(join(folder, 'older'), dataDir, { recursive: true });
      // By itself, the older copy is as whole as the newer one was.
      expect(await verify([await key.promise])).toMatchObject([{ verified: true, trusted: false }]);
      expect(await verify([await key.promise], [kept])).toMatchObject([
        { problem: 'tree', what: expect.stringMatching(/its end was cut off$/) },
        { verified: false },
      ]);
      api = await startTestApi(witnessed);
      await eventually(async () => 'problems' in (await auditOf(api)));
      expect(await auditOf(api)).toMatchObject({ degraded: true, first: { problem: 'lost' } });
      await api.close();
    } finally {
      await witness.close();
    }
  });

  it('cannot put back an older copy of all of it where checkpoints are kept elsewhere: verification and the next start betray that', async () => {
    const elsewhere = { kind: 'folder' as const, directory: join(folder, 'elsewhere') };
    const keeping = { dataDir, auditCheckpoints: elsewhere };
    let api = await startTestApi(keeping);
    expect(await auditOf(api)).toMatchObject({ checkpoints: { error: null } });
    await api.close();
    await cp(dataDir, join(folder, 'older'), { recursive: true });
    api = await startTestApi(keeping);
    await api.call('POST', '/projects', { name: 'regretted' });
    await api.close();
    // A start signs and keeps what an end had no time for.
    api = await startTestApi(keeping);
    await eventually(async () => {
      const { size, checkpoints } = (await auditOf(api)) as { size: number; checkpoints: { size: number } };
      return size > 0 && checkpoints.size === size;
    });
    await api.close();
    const verifyKept = async () =>
      (await Array.fromAsync(verifyAudit({ ...places(), keys: [], checkpoints: [], kept: elsewhere }))) as JsonObject[];
    expect(await verifyKept()).toMatchObject([{ verified: true, trusted: true }]);
    await rm(dataDir, { recursive: true });
    await cp(join(folder, 'older'), dataDir, { recursive: true });
    expect(await verify()).toMatchObject([{ verified: true, trusted: false }]);
    expect(await verifyKept()).toMatchObject([
      { problem: 'tree', what: expect.stringMatching(/its end was cut off$/) },
      { verified: false },
    ]);
    api = await startTestApi(keeping);
    await eventually(async () => 'problems' in (await auditOf(api)));
    expect(await auditOf(api)).toMatchObject({ first: { problem: 'lost' } });
    await api.close();
  });

  it('cannot sign with a key that is elsewhere: that key, given to the verification, betrays another one', async () => {
    const pair = generateKeyPairSync('ed25519');
    const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    await writeFile(join(folder, 'key.pem'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeFile(join(folder, 'key.pub'), publicKey);
    const text = join(folder, 'text');
    let api = await startTestApi({
      dataDir,
      auditSigningCommand: `cat > ${text} && openssl pkeyutl -sign -rawin -inkey ${folder}/key.pem -in ${text}`,
      auditSigningKey: join(folder, 'key.pub'),
    });
    await eventually(async () => (await api.call('GET', '/audit/checkpoint')).status === 200);
    const key = await keyOf(api);
    await api.close();
    const { origin } = readCheckpoint(await readFile(checkpointOf(dataDir), 'utf8'));
    expect(key).toBe(formatVerifier(verifierOf(origin, publicKeyOf(publicKey))));
    expect(await verify([key])).toMatchObject([{ verified: true }]);
    // Who has the whole folder, and with it the secret, can only sign with that.
    api = await startTestApi({ dataDir });
    await api.call('POST', '/projects', { name: 'forged' });
    await api.close();
    api = await startTestApi({ dataDir });
    await eventually(async () => (await auditOf(api))['signedAt'] !== null);
    await api.close();
    expect((await verify([key]))[0]).toMatchObject({ problem: 'tree', what: expect.stringMatching(/no signature/) });
  });

  it('cannot change the log, sign it anew and name the own key in it: a key or checkpoint that was kept betrays that, and the next start', async () => {
    let api = await startTestApi({ dataDir });
    await api.call('POST', '/projects', { name: 'honest' });
    const key = await keyOf(api);
    await api.close();
    await keepCheckpoint();
    const { origin } = readCheckpoint(await readFile(kept, 'utf8'));
    const forger = signerOf(origin, Buffer.alloc(32, 9));
    const log = new DatabaseSync(join(dataDir, 'log.db'));
    for (const [old, forged] of [
      ['honest', 'forged'],
      [key, formatVerifier(forger)],
    ])
      log.prepare('UPDATE events SET data = replace(data, ?, ?), checksum = NULL').run(old!, forged!);
    log.close();
    await rm(join(dataDir, 'objects', 'objects', 'audit'), { recursive: true });
    await signAnew(forger);
    expect(await verify()).toMatchObject([{ verified: true, trusted: false }]);
    expect((await verify([key]))[0]).toMatchObject({ problem: 'tree', what: expect.stringMatching(/no signature/) });
    expect((await verify([], [kept]))[0]).toMatchObject({
      problem: 'tree',
      what: expect.stringMatching(/no signature/),
    });
    api = await startTestApi({ dataDir });
    await eventually(async () => 'problems' in (await auditOf(api)));
    expect(await auditOf(api)).toMatchObject({ degraded: true, first: { problem: 'tree' } });
    await api.close();
  });

  it("cannot have a changed log signed by the installation's own key: a checkpoint that was kept betrays that", async () => {
    const api = await startTestApi({ dataDir });
    await api.call('POST', '/projects', { name: 'honest' });
    const key = await keyOf(api);
    await api.close();
    await keepCheckpoint();
    expect(await verify([key], [kept])).toMatchObject([{ verified: true, trusted: true }]);
    const log = new DatabaseSync(join(dataDir, 'log.db'));
    log.prepare("UPDATE events SET data = replace(data, 'honest', 'forged'), checksum = NULL").run();
    log.close();
    await rm(join(dataDir, 'objects', 'objects', 'audit'), { recursive: true });
    const { origin } = readCheckpoint(await readFile(kept, 'utf8'));
    const secret = decodeSecret(await readFile(join(dataDir, 'secret.key'), 'utf8'));
    await signAnew(signerAt(secret, origin, 1).signer);
    expect(await verify([key])).toMatchObject([{ verified: true, trusted: false }]);
    expect(await verify([key], [kept])).toMatchObject([{ problem: 'tree' }, { verified: false, trusted: false }]);
  });

  async function signAnew(signer: ReturnType<typeof signerOf>): Promise<void> {
    const { eventStore, objectStore } = places();
    const [log, objects] = [await openStoredEvents(eventStore), await openObjectStore(objectStore)];
    const read = (position: string | null) => storedPages(log, position);
    await extendTree({ files: new TreeFiles(objects), read, signer, verifiers: [signer], saltKey: '00'.repeat(32) });
    await Promise.all([log.close(), objects.close()]);
  }
});
