import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releaseMemoryWhenIdle } from '#primitives/memory/release-memory.js';
import { startTestApi } from '#test/support/api.js';
import { checkpointNow } from '#test/support/audited.js';
import { hostedSettings } from '#test/support/hosted-settings.js';
import { bytesByPart } from './bytes.js';

/**
 * The whole system in one process, with one provider, at full durability: API, log, projections and all. It says where it listens,
 * and a key of each of several users, since what one may ask in a minute is limited; at its end, how many bytes each of its parts has.
 */
const [upstream, users] = process.argv.slice(2);
const hosted = await hostedSettings(`${upstream}/v1`);
const dataDir = await mkdtemp(join(tmpdir(), 'anneal-bench-'));
const api = await startTestApi({ ...hosted.values, dataDir, durability: 'full', logLevel: 'error' });
const keys = [];
for (let user = 0; user < Number(users); user += 1) keys.push((await api.colleague()).key);
releaseMemoryWhenIdle();
console.log(JSON.stringify({ url: api.url, keys }));
process.once('SIGTERM', () => void end());

async function end(): Promise<void> {
  await api.drained();
  await checkpointNow(api);
  await api.close();
  console.log(JSON.stringify(bytesByPart(dataDir)));
  await hosted.remove();
  await rm(dataDir, { recursive: true });
  process.exit(0);
}
