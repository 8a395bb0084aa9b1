import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Application } from '#application/application.js';
import { CallRecorder, contentMac } from '#calls/recording/call-recorder.js';
import { joined } from '#ports/event-store/wrappers.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { verifyAudit } from './audit.js';

/** Enough for the log to keep what their events have in common. */
const CALLS = 25;

describeEmbedded('a log of an earlier release', 'it changes files of a data folder', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-older-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  /** Records calls as earlier releases did: with their contents in events of their own. */
  const startOlder = () =>
    startTestApi(
      { dataDir },
      {
        override: (api) =>
          api.overrideProvider(CallRecorder).useFactory({
            inject: [Application, SecretKey],
            factory: ({ ports }: Application, secret: SecretKey) => {
              const eventStore = joined(ports.eventStore, ports.eventStore);
              return new CallRecorder({ ...ports, eventStore }, contentMac(secret));
            },
          }),
      },
    );
  const typesOf = async (api: TestApi) => {
    const calls = api.application.storedEvents.readAll({ filter: { categories: ['metered', 'content'] } });
    return new Set((await Array.fromAsync(calls)).map(({ type, data }) => (data['sealed'] ? `${type}, sealed` : type)));
  };

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

  it.each([
    // Up to the first packed event, formats 2 and 3 differ from 4 by the table of texts alone.
    [2, 3],
    [3, 3],
    [4, CALLS],
  ])(
    'of format %d opens, goes on, and gives the same history to rebuilt read models; all verifies',
    async (format, calls) => {
      const first = await startOlder();
      await called(first, calls);
      const before = await history(first);
      expect(await typesOf(first)).toEqual(new Set(['call-metered.v1', 'call-content.v1, sealed']));
      await first.close();
      expect(Number(packed()!.events) > 0).toBe(format === 4);
      const texts = format < 4 ? 'DROP TABLE texts;' : '';
      withLog((log) => log.exec(`${texts} DROP TABLE open_calls; PRAGMA user_version = ${format}`));

      const second = await rebuilt(first.key);
      expect(await history(second)).toEqual(before);
      await called(second, CALLS);
      const after = await history(second);
      expect(JSON.stringify(after).match(/Ada lives in London/g)!.length).toBeGreaterThanOrEqual(calls + CALLS);
      const sealed = ['call-content.v1, sealed', 'call-metered.v1, sealed'];
      expect(await typesOf(second)).toEqual(new Set(['call-metered.v1', ...sealed]));
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
    },
  );
});
