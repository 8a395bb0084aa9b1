/**
 * `npm run quality [-- NAME...] [--again] [--report]`: trains and measures the models of this project beside others, on public data
 * sets and on rows that the project makes. A NAME chooses a set, a number of rows or a system.
 *
 * `npm run quality -- torch [ROWS]` measures a language model instead (`decoders.ts`).
 *
 * `npm run quality -- zero-shot` measures entities without training instead (`zero-shot.ts`).
 *
 * `npm run quality -- guard [NAME...]` measures which texts unlike those learned are answered instead (`guard.ts`).
 *
 * `npm run quality -- distil FILE [NAME...] [--draws N] [--http N]` proves the bounds of distilled models instead (`distil/run.ts`).
 *
 * Each trial has a process of its own. Results are kept in .quality/results.jsonl, so that an interrupted run goes on where it was;
 * `--again` measures the chosen trials once more. `--report` measures nothing and writes the results into docs/design/quality.md. Exits 1
 * when a trial failed or a promise is missed.
 */
import { parseArgs } from 'node:util';
import { measureDecoders } from './decoders.js';
import { DRAWS, DRAWS_OVER_HTTP, measureDistillation } from './distil/run.js';
import { measureGuard } from './guard.js';
import { measureMonth } from './month/run.js';
import { MissingSystemError } from './missing-system.js';
import { writeMonth } from './month/report.js';
import { ROUNDS } from './month/scenario.js';
import { writeReport } from './report.js';
import { Results } from './results.js';
import { DATA_DIRECTORY, present, type DataSet } from './sets.js';
import { measure, type Result, type Trial } from './trial.js';
import { chosenTrials } from './trials.js';
import { measureZeroShot } from './zero-shot.js';

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    again: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    draws: { type: 'string' },
    http: { type: 'string' },
  },
});
const results = new Results();
if (names[0] === 'torch') await measureTorch(names.slice(1));
else if (names[0] === 'zero-shot') withoutTraining();
else if (names[0] === 'guard') await measureUnlike(names.slice(1));
else if (names[0] === 'distil') await proveBounds(names.slice(1));
else if (names[0] === 'month') await simulateMonth(names.slice(1));
else if (options.report) writeReport(results);
else await measureAll(chosenOrExit());

async function measureTorch([rows, ...others]: readonly string[]): Promise<void> {
  const count = rows === undefined ? undefined : Number(rows);
  if (others.length > 0 || (count !== undefined && !(Number.isInteger(count) && count >= 10 && count <= 400))) {
    console.error('usage: npm run quality -- torch [ROWS], 10 to 400 training rows');
    process.exit(1);
  }
  const reason = await measureDecoders(count);
  if (reason !== null) console.log(`skipped: ${reason}`);
}

function withoutTraining(): void {
  const reason = measureZeroShot();
  if (reason !== null) console.log(`skipped: ${reason}`);
}

async function measureUnlike(chosen: readonly string[]): Promise<void> {
  const reason = await measureGuard(chosen);
  if (reason !== null) console.log(`skipped: ${reason}`);
}

async function proveBounds([file, ...chosen]: readonly string[]): Promise<void> {
  const [draws, overHttp] = [Number(options.draws ?? DRAWS), Number(options.http ?? DRAWS_OVER_HTTP)];
  if (file === undefined || ![draws, overHttp].every((count) => Number.isInteger(count) && count >= 0)) {
    console.error('usage: npm run quality -- distil FILE [NAME...] [--draws N] [--http N]: results are kept in FILE');
    process.exit(1);
  }
  await measureDistillation(file, chosen, { draws, overHttp });
}

async function simulateMonth([rounds, ...others]: readonly string[]): Promise<void> {
  const count = rounds === undefined ? undefined : Number(rounds);
  if (others.length > 0 || (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= ROUNDS))) {
    console.error(`usage: npm run quality -- month [ROUNDS] [--report], 1 to ${ROUNDS} rounds`);
    process.exit(1);
  }
  const reason = options.report ? writeMonth() : await measureMonth(count);
  if (reason !== null) console.log(`skipped: ${reason}`);
}

function chosenOrExit(): readonly Trial[] {
  try {
    return chosenTrials(names);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

async function measureAll(trials: readonly Trial[]): Promise<void> {
  const skipped = new Set<string>();
  for (const trial of trials) {
    const reason = await whySkipped(trial);
    if (reason !== null) skipped.add(reason);
  }
  for (const reason of skipped) console.log(`skipped: ${reason}`);
  console.table(trials.flatMap((trial) => results.of(trial) ?? []).map(rounded));
  for (const promise of trials.map(promiseOf).filter((promise) => promise !== null)) {
    console.log(promise);
    if (promise.startsWith('missed')) process.exitCode = 1;
  }
}

/** Measures a trial that has no result. @returns null where it has one now or failed */
async function whySkipped(trial: Trial): Promise<string | null> {
  if (results.of(trial) && !options.again) return null;
  if (!isPresent(trial.set)) return `${trial.set.name} (its data are not in ${DATA_DIRECTORY})`;
  try {
    const result = await measure(trial);
    console.log(JSON.stringify(result));
    results.add(result);
  } catch (error) {
    if (error instanceof MissingSystemError) return `${trial.system.name} (${error.message})`;
    console.error(`failed: ${trial.set.name} ${trial.rows} ${trial.system.name}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
  return null;
}

function isPresent({ files }: DataSet): boolean {
  return files.every(present);
}

function rounded({ set, rows, draw, system, date: _, ...figures }: Result) {
  const numbers = Object.entries(figures).map(([name, value]) => [name, value && Number(value.toPrecision(4))]);
  return { set, rows, draw, system, ...(Object.fromEntries(numbers) as Record<string, number | null>) };
}

/** Whether the base model keeps what is promised of it after all rows; null for other trials. */
function promiseOf(trial: Trial): string | null {
  const result = results.of(trial);
  const { set, rows, draw, system } = trial;
  if (result === undefined || rows !== 'all' || !system.name.startsWith('base')) return null;
  const least = set.least();
  return `${result.figure >= least ? 'held' : 'missed'}: ${set.name}, ${system.name}, draw ${draw}: at least ${least.toFixed(3)}`;
}
