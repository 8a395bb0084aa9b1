import { cp, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyAudit } from '#apps/operator/audit.js';
import { OperationError } from '#apps/operator/operation.js';
import type { Json } from '#domain/json.js';
import { Settings } from '#settings/index.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startEventStoreServer } from '#test/event-store-server/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { removeFolder } from '#test/support/remove-folder.js';
import { migrate } from './migration.js';

const { signal } = new AbortController();

describeEmbedded('npx anneal migrate', 'it begins with a data folder', () => {
  let root: string;
  let server: Awaited<ReturnType<typeof startEventStoreServer>>;
  let key: string;
  let paths: readonly string[];
  let answers: readonly unknown[];
  const folder = (name: string) =>
    new Settings({ dataDir: join(root, name), logLevel: 'silent', durability: 'normal' });
  /** With its log on a server, and all else in another folder. */
  const onServer = (secretKey: string) =>
    new Settings({
      ...{ dataDir: join(root, 'beside'), logLevel: 'silent', durability: 'normal', secretKey },
      eventStore: { adapter: 'eventstoredb', address: server.address },
    });
  const secretOf = (name: string) => readFile(join(root, name, 'secret.key'), 'utf8');
  const moved = (from: Settings, to: Settings, isDry = false): Promise<readonly Json[]> =>
    Array.fromAsync(migrate({ from, to, isDry, signal }));
  const asked = (api: TestApi) => Promise.all(paths.map(async (path) => (await api.call('GET', path)).body as unknown));
  const started = async (settings: Settings) => {
    const api = await startTestApi({ ...settings, port: 0, bootstrapApiKey: key });
    await api.drained();
    return api;
  };

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'anneal-migration-'));
    server = await startEventStoreServer({ directory: join(root, 'server') });
    const api = await startTestApi({ dataDir: join(root, 'first') });
    key = api.key;
    await api.call('POST', '/projects', { name: 'mine' });
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada lives in London.', schema: ['city'] };
    const { inference_id } = (await api.call('POST', '/inference', call)).body as { inference_id: string };
    await api.call('POST', `/inferences/${inference_id}/feedback`, { verdict: 'correct', notes: 'seen by a person' });
    await api.drained();
    paths = ['/projects', `/inferences/${inference_id}`, `/inferences/${inference_id}/feedback`, '/list-api-keys'];
    answers = await asked(api);
    await api.close();
  });
  afterAll(async () => {
    await server.close();
    await removeFolder(root);
  });

  it('says beforehand what there is to copy, and with --dry-run copies nothing', async () => {
    const frames = await moved(folder('first'), onServer(await secretOf('first')), true);
    expect(frames).toMatchObject([{ step: 'plan', objects: expect.any(Number) }]);
    expect((frames[0] as { events: number }).events).toBeGreaterThan(8);
    const again = await moved(folder('first'), onServer(await secretOf('first')), true);
    expect(again).toEqual(frames);
  });

  it('moves the log to EventStoreDB and back: the API answers as before, and the log verifies', async () => {
    const there = onServer(await secretOf('first'));
    const result = (await moved(folder('first'), there)).at(-1);
    expect(result).toMatchObject({ step: 'migrated', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const distributed = await started(there);
    expect(await asked(distributed)).toEqual(answers);
    expect((await distributed.call('POST', '/projects', { name: 'later' })).status).toBe(200);
    await distributed.close();

    const back = new Settings({ ...folder('back'), secretKey: await secretOf('first') });
    await moved(there, back);
    const embedded = await started(back);
    expect((await embedded.call('GET', '/projects')).body).toMatchObject({
      projects: [{ name: 'later' }, { name: 'mine' }],
    });
    expect((await asked(embedded)).slice(1)).toEqual(answers.slice(1));
    await embedded.close();
    const [summary, ...problems] = await Array.fromAsync(
      verifyAudit({
        eventStore: { adapter: 'sqlite', directory: back.dataDir },
        objectStore: { kind: 'folder', directory: join(back.dataDir, 'objects') },
        ...{ keys: [], checkpoints: [], contents: null },
      }),
    );
    expect([summary, problems]).toEqual([expect.objectContaining({ verified: true, problems: 0 }), []]);
  });

  it('continues where it was interrupted, and refuses a place that has another system', async () => {
    const to = new Settings({ ...folder('resumed'), secretKey: await secretOf('first') });
    const interrupted = new AbortController();
    const half = Array.fromAsync(
      (async function* () {
        for await (const frame of migrate({ from: folder('first'), to, isDry: false, signal: interrupted.signal })) {
          interrupted.abort();
          yield frame;
        }
      })(),
    );
    await expect(half).rejects.toThrow();
    expect((await moved(folder('first'), to)).at(-1)).toMatchObject({ step: 'migrated' });

    const other = await startTestApi({ dataDir: join(root, 'other') });
    await other.close();
    const taken = new Settings({ ...folder('other'), secretKey: await secretOf('first') });
    await expect(moved(folder('first'), taken)).rejects.toThrow(OperationError);
  });

  it('refuses a target with another secret, and a folder whose log somebody else has changed', async () => {
    await expect(moved(folder('first'), onServer('k'.repeat(64)))).rejects.toThrow(/another secret.*ANNEAL_SECRET_KEY/);
    await cp(join(root, 'first'), join(root, 'forged'), { recursive: true });
    const { DatabaseSync } = await import('node:sqlite');
    const log = new DatabaseSync(join(root, 'forged', 'log.db'));
    log.exec('DELETE FROM events WHERE position = (SELECT max(position) FROM events)');
    log.close();
    const to = new Settings({ ...folder('to'), secretKey: await secretOf('first') });
    await expect(moved(folder('forged'), to)).rejects.toThrow(OperationError);
  });
});
