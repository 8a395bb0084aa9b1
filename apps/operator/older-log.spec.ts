import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { verifyAudit } from './audit.js';

/** Enough for the log to keep what their events have in common. */
const CALLS = 25;

describeEmbedded('a log of an earlier release', 'it changes files of a data folder', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-older-'));
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  const withLog = <T>(use: (log: DatabaseSync) => T): T => {
    const log = new DatabaseSync(join(dataDir, 'log.db'));
    try {
      return use(log);
    } finally {
      log.close();
    }
  };
  const packed = () =>
    withLog((log) => log.prepare("SELECT count(*) AS events FROM events WHERE typeof(data) = 'blob'").get());
  const called = async (api: TestApi, calls: number) => {
    for (let call = 0; call < calls; call += 1) {
      const body = { model_id: 'anneal/encoder-base-v1', text: `Ada lives in London, ${call}.`, schema: ['city'] };
      expect((await api.call('POST', '/inference', body)).status).toBe(200);
    }
    await api.drained();
  };
  const history = async (api: TestApi) => {
    await api.drained();
    return (await api.call('GET', '/inferences?limit=100')).body as { readonly data: readonly unknown[] };
  };
  /** The same system with read models that are built again from its log. */
  const rebuilt = async (bootstrapApiKey: string) => {
    await rm(join(dataDir, 'read'), { recursive: true });
    return startTestApi({ dataDir, bootstrapApiKey });
  };

  it('opens, goes on, and gives the same history to read models that are built again; all of it verifies', async () => {
    const first = await startTestApi({ dataDir });
    await called(first, 3);
    const before = await history(first);
    await first.close();
    expect(packed()).toEqual({ events: 0 });
    withLog((log) => log.exec('DROP TABLE texts; PRAGMA user_version = 2'));

    const second = await rebuilt(first.key);
    expect(await history(second)).toEqual(before);
    await called(second, CALLS);
    const after = await history(second);
    expect(JSON.stringify(after).match(/Ada lives in London/g)!.length).toBeGreaterThanOrEqual(3 + CALLS);
    await second.close();
    expect(packed()).not.toEqual({ events: 0 });

    const third = await rebuilt(first.key);
    expect(await history(third)).toEqual(after);
    await third.close();
    const [summary, ...problems] = await Array.fromAsync(
      verifyAudit({
        eventStore: { adapter: 'sqlite', directory: dataDir },
        objectStore: { kind: 'folder', directory: join(dataDir, 'objects') },
        ...{ keys: [], checkpoints: [], contents: null },
      }),
    );
    expect(problems).toEqual([]);
    expect(summary).toMatchObject({ verified: true, problems: 0, uncovered: 0 });
  });
});
