import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Settings } from '#settings/index.js';
import { compose } from './compose.js';
import { locationsOf } from './locations.js';
import { openCoordination } from './open-ports.js';
import { OpenParts } from './open-parts.js';

const mongodb = { adapter: 'mongodb', address: 'mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=1' } as const;

it.each([
  ['ANNEAL_READ_STORE', { readStore: mongodb }],
  ['ANNEAL_COORDINATION', { readStore: mongodb, coordination: { ...mongodb } }],
])('a server of coordination that is not reached is told by %s, which gave its address', async (setting, values) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'anneal-ports-'));
  const parts = new OpenParts();
  const locations = locationsOf(new Settings({ dataDir, ...values }));
  const opened = openCoordination(locations, 'normal', parts, () => undefined);
  await expect(opened).rejects.toThrow(new RegExp(`^${setting} cannot be used: coordination in MongoDB`));
  await parts.close();
  await rm(dataDir, { recursive: true });
});

it('a port of the metrics that is taken is told by its own setting', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const dataDir = await mkdtemp(join(tmpdir(), 'anneal-ports-'));
  const { port } = taken.address() as AddressInfo;
  await expect(compose(new Settings({ dataDir, metricsPort: port }))).rejects.toThrow(
    /^ANNEAL_METRICS_PORT and ANNEAL_METRICS_HOST cannot be listened on \(.*EADDRINUSE.*\); choose others$/,
  );
  taken.close();
  await rm(dataDir, { recursive: true });
});
