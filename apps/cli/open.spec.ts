import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '#apps/composition/compose.js';
import { Settings } from '#settings/index.js';
import { openBeside, openOffline } from './open.js';

describe('the operations, opened by the command itself', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-cli-'));
    await (await compose(new Settings({ dataDir }))).close();
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it.each([
    ['beside the processes', openBeside],
    ['on a folder', openOffline],
  ])('%s need no port of their own: metrics are served by the process whose settings they share', async (_, open) => {
    const process = createServer().listen(0, '127.0.0.1');
    await once(process, 'listening');
    const { port: metricsPort } = process.address() as AddressInfo;
    try {
      const opened = await open(new Settings({ dataDir, metricsPort }));
      const events = await Array.fromAsync(opened.operations['events.replay']!({}, AbortSignal.timeout(5_000)));
      await opened.close();
      expect(events).toMatchObject([{ type: 'log-created.v1' }]);
    } finally {
      process.close();
    }
  });
});
