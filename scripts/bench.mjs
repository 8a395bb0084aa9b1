// `npm run bench [-- NAME...]`: each benchmark in a process of its own, one after another. See test/bench.
// `npm run bench -- smoke`: those that need no server and no data, at a thousandth of their size, to see that they run.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';

const SELF_CONTAINED = [
  'events',
  'projections',
  'rebuild',
  'audit',
  'inference',
  'recording',
  'contents',
  'fairness',
  'hostile-texts',
  'gateway',
  'history',
  'console',
  'ingest',
  'scale',
];
// The first reads a shared data set; the others build or install what the cache has not.
const ALL = [...SELF_CONTAINED, 'packs', 'projections-mongodb', 'adapters', 'nats', 'distributed', 'decoder-adapters'];
const asked = process.argv.slice(2);
const isSmoke = asked.length === 1 && asked[0] === 'smoke';
const wanted = isSmoke ? SELF_CONTAINED : asked.length > 0 ? asked : ALL;
const unknown = wanted.filter((name) => !ALL.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are smoke, ${ALL.join(', ')}`);
  process.exit(1);
}
if (isSmoke) process.env.ANNEAL_BENCH_SCALE ??= '0.001';

await build({ ifNeeded: true });
for (const name of wanted) {
  console.log(`\n== ${name}`);
  const file = join(import.meta.dirname, '..', 'dist', 'test', 'bench', `${name}.js`);
  const { status } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', file], { stdio: 'inherit' });
  if (status === 0) continue;
  console.error(`${name} failed`);
  process.exitCode = 1;
}
