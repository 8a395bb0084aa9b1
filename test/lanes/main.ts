import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { NOTHING, readCounts, sum, type Counts } from './counts.js';
import { LANES, type Lane } from './lanes.js';

/**
 * `npm run test:all [-- LANE... ARGS]` and `npm run test:change`: runs lanes one after another, also after one that fails, and
 * ends with a table of them and one line of counts. Arguments that name lanes choose those; the others are Jest's.
 */
const [which, ...given] = process.argv.slice(2);
const lanes = LANES[which as keyof typeof LANES];
const isLane = (word: string): boolean => lanes.some(({ name }) => name === word);
const chosen = given.some(isLane) ? lanes.filter(({ name }) => given.includes(name)) : lanes;
const args = given.filter((word) => !isLane(word));
if (args.length > 0 && chosen === lanes) {
  console.error(`${args[0]} is not a lane; name one of ${lanes.map(({ name }) => name).join(', ')} first`);
  process.exit(1);
}

const rows: [string, number, number, number, number][] = [];
let total = NOTHING;
for (const lane of chosen) {
  console.log(`\n== ${lane.name}`);
  const start = performance.now();
  const counts = await run(lane);
  rows.push([lane.name, Math.round((performance.now() - start) / 1000), counts.passed, counts.failed, counts.skipped]);
  total = sum(total, counts);
}
const table = new Table({ head: ['lane', 'seconds', 'passed', 'failed', 'skipped'], style: { head: [], border: [] } });
table.push(...rows);
console.log(`\n${table.toString()}`);
for (const line of total.skips) console.log(`skipped: ${line}`);
for (const line of total.failures) console.log(`failed: ${line}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
if (total.failed > 0 || total.passed === 0) process.exitCode = 1;

async function run({ name, command, environment, isJest }: Lane): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'anneal-test-reports-'));
  try {
    const options = isJest ? [...args, '--json', `--outputFile=${join(folder, 'report.json')}`] : [];
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...command, ...options], {
      env: { ...process.env, ...environment },
      stdio: 'inherit',
    });
    const [status] = (await once(child, 'exit')) as [number | null];
    const counts = readCounts(folder);
    if (status !== 0 && counts.failed === 0) return sum(counts, { ...NOTHING, failed: 1, failures: [name] });
    return isJest ? counts : { ...NOTHING, passed: 1 };
  } finally {
    await rm(folder, { recursive: true });
  }
}
