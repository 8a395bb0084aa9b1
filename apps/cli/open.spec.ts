import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { compose } from '#apps/composition/compose.js';
import type { JsonObject } from '#domain/json.js';
import { openQueries } from '#ports/read-store/open.js';
import { Settings } from '#settings/index.js';
import { startTestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { openBeside, openOffline, openReader } from './open.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';

describe('operations that the command opens itself', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-cli-'));
    await (await compose(new Settings({ dataDir }))).close();
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it.each([
    ['beside the processes', openBeside],
    ['on a folder', openOffline],
  ])('%s need no port: metrics are served by the process whose settings they share', async (_, open) => {
    const process = createServer().listen(0, '127.0.0.1');
    await once(process, 'listening');
    const { port: metricsPort } = process.address() as AddressInfo;
    try {
      const opened = await open(new Settings({ dataDir, metricsPort }));
      const events = await Array.fromAsync(opened.operations['events.replay']!({}, AbortSignal.timeout(300_000)));
      await opened.close();
      expect(events).toMatchObject([
        { type: 'log-created.v1' },
        { type: 'log-coordination-bound.v1' },
        { type: 'log-keys-bound.v1' },
      ]);
    } finally {
      process.close();
    }
  });

  it('check a folder without writing to its log, also one that a start refuses', async () => {
    const log = join(dataDir, 'log.db');
    const file = new DatabaseSync(log);
    file.exec(`INSERT INTO removed SELECT id FROM streams WHERE name = 'log-keys'; PRAGMA wal_checkpoint(TRUNCATE)`);
    file.close();
    const before = await readFile(log);
    const opened = openReader(new Settings({ dataDir }))!;
    const found = await Array.fromAsync(opened.operations['events.check']!({}, AbortSignal.timeout(300_000)));
    await opened.close();
    expect(found).toContainEqual({
      position: null,
      problem: 'the stream log-keys is marked as removed, and is still there',
    });
    expect(await readFile(log)).toEqual(before);
    await expect(openOffline(new Settings({ dataDir }))).rejects.toThrow(
      'marked as removed that this installation did not delete: log-keys',
    );
  });

  it('on a folder build read models with the contents of calls', async () => {
    let api = await startTestApi({ dataDir });
    const { settings } = api;
    const { body } = await api.call('POST', '/inference', {
      ...{ model_id: 'anneal/encoder-base-v1', text: 'Ada lives in London.', schema: ['city'] },
    });
    await api.close();
    await rm(join(dataDir, 'read'), { recursive: true });
    const opened = await openOffline(settings);
    const status = async () =>
      (await Array.fromAsync(
        opened.operations['projections.status']!({}, AbortSignal.timeout(300_000)),
      )) as JsonObject[];
    await eventually(async () => (await status()).find(({ name }) => name === 'inferences')?.['state'] === 'live');
    await opened.close();
    const kept = await openQueries({ adapter: 'sqlite', directory: join(dataDir, 'read') });
    const document = await kept.get(inferenceDocuments.collection, body.inference_id as string);
    await kept.close();
    expect(JSON.stringify(document)).toContain('Ada lives in London.');
    api = await startTestApi({ dataDir, bootstrapApiKey: settings.bootstrapApiKey });
    expect((await api.call('GET', `/inferences/${body.inference_id}`)).body.input.text).toBe('Ada lives in London.');
    await api.close();
  });
});
