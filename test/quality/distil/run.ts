/**
 * `npm run quality -- distil FILE [NAME...] [--draws N] [--http N]`: a scripted teacher answers texts of public data sets and of made
 * orders; its recorded calls are distilled, and the small model is asked live, in N draws by the code of the system and in N over HTTP,
 * which must be the same. A NAME chooses cases, or `audits`. Results are kept in FILE, so that an interrupted run goes on where it was,
 * or with more draws.
 */
import { enginesHere } from '../systems.js';
import { DATA_DIRECTORY, present as isPresent } from '../sets.js';
import { simulatedAudits } from './audits.js';
import { CASES, type Case } from './cases.js';
import { measureInProcess } from './in-process.js';
import { measureOverHttp } from './over-http.js';
import { DrawResults, TARGETS, type DrawResult } from './results.js';

export const DRAWS = 20;
export const DRAWS_OVER_HTTP = 1;
const AUDITS = 'audits';
/** What a bound with exactly its confidence misses in 20 draws, but for one time in fifty. */
const MISSES = 2;

/** Exits with 1 where a draw failed, or the figures miss what is promised. */
export async function measureDistillation(
  file: string,
  names: readonly string[],
  { draws = DRAWS, overHttp = DRAWS_OVER_HTTP }: { readonly draws?: number; readonly overHttp?: number } = {},
): Promise<void> {
  const unknown = names.filter((name) => name !== AUDITS && !CASES.some((each) => each.name === name));
  if (unknown.length > 0)
    throw new Error(`no case ${unknown.join(', ')}; there are ${CASES.map(({ name }) => name).join(', ')}, ${AUDITS}`);
  const results = new DrawResults(file);
  const chosen = CASES.filter(({ name }) => names.length === 0 || names.includes(name));
  const present = chosen.filter((own) => {
    const reason = whyMissing(own);
    if (reason !== null) console.log(`skipped: ${own.name} (${reason})`);
    return reason === null;
  });
  // A draw of each case before the next, so that an interrupted run says something of each.
  for (let draw = 1; draw <= Math.max(draws, overHttp); draw += 1)
    for (const own of present)
      await measureDraw(own, draw, { isWanted: draw <= draws, isWantedOverHttp: draw <= overHttp }, results);
  const measured = chosen.filter(({ name }) => results.of(name).length > 0);
  console.table(measured.flatMap((own) => rowsOf(own, results.of(own.name))));
  for (const own of measured) judge(own, results.of(own.name));
  if (names.length === 0 || names.includes(AUDITS)) judgeAudits();
}

function whyMissing({ task, isPack }: Case): string | null {
  if (!task.files.every(isPresent)) return `its data are not in ${DATA_DIRECTORY}`;
  return isPack && !enginesHere().baseModel('anneal/encoder-small-v1') ? 'its encoder pack is not here' : null;
}

async function measureDraw(
  own: Case,
  draw: number,
  { isWanted, isWantedOverHttp }: { readonly isWanted: boolean; readonly isWantedOverHttp: boolean },
  results: DrawResults,
): Promise<void> {
  const [known, again] = [results.of(own.name), results.overHttp(own.name)].map((all) =>
    all.find((each) => each.draw === draw),
  );
  try {
    const here = known ?? (isWanted ? added(await measureInProcess(own, draw), results) : null);
    const there = again ?? (isWantedOverHttp ? added(await measureOverHttp(own, draw), results) : null);
    if (here && there) requireSame(here, there);
  } catch (error) {
    failed(`${own.name}, draw ${draw}: ${(error as Error).message}`);
  }
}

function added(result: DrawResult, results: DrawResults): DrawResult {
  console.log(JSON.stringify(result));
  results.add(result);
  return result;
}

/** @throws Error a draw over HTTP has other figures than the code of the system gives */
function requireSame(here: DrawResult, there: DrawResult): void {
  const [one, other] = [here, there].map(({ learned, status, figures }) =>
    JSON.stringify([learned, status, figures.map(({ sureAgreed: _, ...each }) => each)]),
  );
  if (one !== other) throw new Error(`over HTTP it is ${other}, not ${one}`);
}

const figureAt = ({ figures }: DrawResult, target: number) => figures.find((each) => each.target === target);

const coverage = (result: DrawResult, target: number): number =>
  (figureAt(result, target)?.answered ?? 0) / Math.max(1, result.live);

const isMiss = (result: DrawResult, target: number): boolean => {
  const { answered = 0, agreed = 0 } = figureAt(result, target) ?? {};
  return answered > 0 && agreed < target * answered;
};

function rowsOf(own: Case, draws: readonly DrawResult[]): readonly object[] {
  const refused = draws.filter(({ status }) => status === 'refused').length;
  return TARGETS.map((target) => {
    const figures = draws.flatMap((draw) => figureAt(draw, target) ?? []);
    const answered = figures.reduce((sum, each) => sum + each.answered, 0);
    const agreed = figures.reduce((sum, each) => sum + each.agreed, 0);
    return {
      ...{ case: own.name, draws: draws.length, refused, target },
      'out of fold': mean(draws.map((draw) => figureAt(draw, target)?.outOfFold ?? 0)).toFixed(3),
      answered: mean(draws.map((draw) => coverage(draw, target))).toFixed(3),
      agreement: answered === 0 ? null : (agreed / answered).toFixed(3),
      'without guard': mean(draws.map((draw) => (figureAt(draw, target)?.sure ?? 0) / Math.max(1, draw.live))).toFixed(
        3,
      ),
      'draws that serve': figures.filter((each) => each.answered > 0).length,
      misses: draws.filter((draw) => isMiss(draw, target)).length,
      contradicted: figures.filter(({ isContradicted }) => isContradicted).length,
    };
  });
}

function judge(own: Case, draws: readonly DrawResult[]): void {
  if (own.isRandom) {
    const served = draws.filter(({ status }) => status !== 'refused').length;
    if (served > 0) failed(`${own.name}: ${served} of ${draws.length} draws were not refused`);
  }
  for (const target of TARGETS) {
    const misses = draws.filter((draw) => isMiss(draw, target)).length;
    if (misses > MISSES) failed(`${own.name}: ${target} was missed in ${misses} of ${draws.length} draws`);
    const aim = own.aims[target];
    const reached = mean(draws.map((draw) => coverage(draw, target)));
    if (aim !== undefined && reached < aim)
      failed(`${own.name}: ${reached.toFixed(3)} answered at ${target}, not ${aim}`);
  }
}

/** A drift of five points is noticed in time in most runs, and a model a point above its target goes on answering. */
function judgeAudits(): void {
  const all = simulatedAudits();
  console.table(all);
  for (const { target, agreement, withinNoticed, returned } of all) {
    if (agreement < target && withinNoticed < 0.7)
      failed(`audits: ${agreement} under ${target} was noticed in time in ${withinNoticed} of the runs`);
    if (agreement > target && returned > 0.001)
      failed(`audits: ${agreement} over ${target} was given back in ${returned} of the runs`);
  }
}

function failed(message: string): void {
  console.error(`missed: ${message}`);
  process.exitCode = 1;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
