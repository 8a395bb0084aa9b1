import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreServer } from '#test/event-store-server/index.js';
import { testServers, TEST_SERVERS } from '#test/servers/describe.js';
import { removeFolder } from '#test/support/remove-folder.js';
import type { Deploy } from './deployment.js';
import { distributed, type Distributed, type Processes } from './distributed.js';

/** Runs a suite on separate processes where the servers they need are named; else it is skipped, with the reason in its name. */
export function describeDistributed(name: string, suite: () => void): void {
  const missing = (['mongodb', 'nats', 's3'] as const).filter((kind) => !testServers()[kind]?.length);
  if (missing.length === 0) describe(name, suite);
  else
    describe.skip(`${name}: skipped: no ${missing.join(', ')} server is named in ${TEST_SERVERS}`, () => {
      it('on servers', () => undefined);
    });
}

/** Separate processes, with a log of their own. */
export async function deployDistributed(processes: Processes): Promise<Distributed> {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-log-'));
  const log = await startEventStoreServer({ directory });
  const deployment = await distributed(processes, { eventStore: log.address });
  return {
    ...deployment,
    async remove() {
      await deployment.remove();
      await log.close();
      await removeFolder(directory);
    },
  };
}

export const onServers =
  (processes: Processes): Deploy =>
  () =>
    deployDistributed(processes);
