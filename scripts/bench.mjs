// `npm run bench [-- NAME...]`: each benchmark in a process of its own, one after another. See test/bench.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';

// The last four build or install what the cache has not.
const ALL = [
  'events',
  'projections',
  'audit',
  'inference',
  'recording',
  'contents',
  'fairness',
  'gateway',
  'packs',
  'history',
  'console',
  'ingest',
  'projections-mongodb',
  'adapters',
  'nats',
  'decoder-adapters',
];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !ALL.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are ${ALL.join(', ')}`);
  process.exit(1);
}

await build({ ifNeeded: true });
for (const name of wanted.length > 0 ? wanted : ALL) {
  console.log(`\n== ${name}`);
  const file = join(import.meta.dirname, '..', 'dist', 'test', 'bench', `${name}.js`);
  const { status } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', file], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
