/**
 * `npm run quality -- month [ROUNDS] [--report]`: a simulated month of drifting traffic on public data, over HTTP. Three models by name
 * get the same calls and the same verdicts of an annotator who is sometimes wrong: one is improved behind the gate, one is retrained
 * and put in use whatever comes of it, and one stays as it was.
 */
import { makeKey } from '#apps/demo/account.js';
import { Client } from '#apps/demo/client.js';
import { startSystem } from '#apps/demo/system.js';
import { uploadDataset } from '#apps/demo/upload.js';
import { DATA_DIRECTORY } from '../sets.js';
import { interval } from '../statistics.js';
import { Arm, type Improvement } from './arm.js';
import { differenceShown, isWorse, shown } from './report.js';
import {
  ARMS,
  keepMonth,
  type ArmName,
  type Change,
  type Figures,
  type MonthResult,
  type MonthRound,
} from './result.js';
import { MISSING_FILES, monthOf, ROUNDS, type Labelled, type Month, type Round } from './scenario.js';

const SEED = 17;
/** As a training job has by default on as many rows as there are at the end. */
const EPOCHS = 10;
const CHECKED = 'checked';
const GATE = { on_pass: 'promote', regression_dataset: CHECKED, refused_corrections: 'left_out' };
const NO_GATE = { on_pass: 'promote', max_f1_drop: 1, max_label_drop: null, min_rows: 1 };
/** Longer than a training takes on a machine that is busy several times over. */
const TRAINING_SECONDS = 3_600;

type Arms = Readonly<Record<ArmName, Arm>>;

/**
 * Exits with 1 where a version that passed the gate is worse than the one before, or an improvement failed.
 * @returns why nothing was measured; null once it was
 */
export async function measureMonth(count = ROUNDS): Promise<string | null> {
  if (MISSING_FILES.length > 0) return `month (${MISSING_FILES.join(', ')} are not in ${DATA_DIRECTORY})`;
  const started = performance.now();
  const month = monthOf(SEED);
  const system = await startSystem({ ANNEAL_RATE_LIMITS: 'off' });
  try {
    const anonymous = new Client(system.url);
    const api = anonymous.with((await makeKey(anonymous, system, 'month')).secret_key);
    const arms = await startArms(api, month);
    const rounds: MonthRound[] = [];
    for (const round of month.rounds.slice(0, count)) {
      if (round.checked && round.number > 1) await upload(api, CHECKED, round.checked);
      rounds.push(await live(arms, month, round));
      console.log(JSON.stringify(rounds.at(-1)));
    }
    const minutes = Math.ceil((performance.now() - started) / 60_000);
    conclude({ date: new Date().toISOString().slice(0, 10), minutes, rounds });
  } finally {
    await system.close();
  }
  return null;
}

async function startArms(api: Client, month: Month): Promise<Arms> {
  await upload(api, 'first', month.first);
  await upload(api, CHECKED, month.rounds[0]!.checked!);
  const { id } = await api.post<{ id: string }>('/felix/training-jobs', {
    ...{
      base_model: 'anneal/encoder-base-v1',
      datasets: [{ name: 'first' }],
      validation_data_percentage: 0.2,
      nr_epochs: EPOCHS,
    },
  });
  const isOver = ({ status }: { readonly status: string }) => !['requested', 'running'].includes(status);
  const { status } = await api.until<{ status: string }>(`/felix/training-jobs/${id}`, isOver, TRAINING_SECONDS);
  if (status !== 'complete') throw new Error(`the first training job is ${status}`);
  const texts = [...month.soFar(ROUNDS), ...month.rounds.flatMap(({ heldOut }) => heldOut)];
  const unique = [...new Map(texts.map((row) => [row.text, row])).values()];
  return {
    none: await Arm.of(api, 'none', id, null, unique),
    naive: await Arm.of(api, 'naive', id, NO_GATE, unique),
    gate: await Arm.of(api, 'gate', id, GATE, unique),
  };
}

async function upload(api: Client, name: string, rows: readonly Labelled[]): Promise<void> {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await uploadDataset(api, { dataset_name: name, dataset_type: 'classification', filename: `${name}.jsonl` }, lines);
}

async function live(arms: Arms, month: Month, round: Round): Promise<MonthRound> {
  const { number, isBadBatch, newLabels } = round;
  const heldOut = month.soFar(number);
  const change = async (arm: Arm): Promise<Change> => {
    const before = arm.rightOn(heldOut);
    const improvement = await arm.live(round);
    return changeOf(improvement, before, arm.rightOn(heldOut));
  };
  const [gate, naive] = await Promise.all([change(arms.gate), change(arms.naive)]);
  const changes = { gate, naive };
  const of = (name: ArmName) => figuresOf(arms[name], month, number);
  const figures = { none: of('none'), naive: of('naive'), gate: of('gate') };
  return { number, isBadBatch, newLabels, rows: heldOut.length, figures, changes };
}

function changeOf(improvement: Improvement, before: readonly number[], after: readonly number[]): Change {
  const { outcome, status, reason, gate } = improvement;
  const refused = gate?.rules
    .filter(({ passed }) => !passed)
    .map(({ rule, label }) => (label ? `${rule} of ${label}` : rule));
  const rules = refused ?? (reason === null ? [] : [reason]);
  if (outcome !== 'promoted') return { outcome: outcome ?? status, rules, difference: null };
  const differences = after.map((right, row) => right - before[row]!);
  const meanOf = (rows: readonly number[]) => mean(rows.map((row) => differences[row]!));
  return { outcome, rules, difference: [mean(differences), ...interval(differences.length, meanOf)] };
}

function figuresOf(arm: Arm, { rounds, soFar }: Month, round: number): Figures {
  const next = rounds[round];
  return {
    round: mean(arm.rightOn(rounds[round - 1]!.heldOut)),
    next: next ? mean(arm.rightOn(next.heldOut)) : null,
    soFar: mean(arm.rightOn(soFar(round))),
  };
}

function conclude(result: MonthResult): void {
  keepMonth(result);
  console.table(
    result.rounds.map(({ number, isBadBatch, figures, changes: { gate, naive } }) => ({
      round: `${number}${isBadBatch ? ' (bad batch)' : ''}`,
      ...Object.fromEntries(
        ARMS.flatMap((arm) => [
          [`${arm}, this round`, shown(figures[arm].round)],
          [`${arm}, so far`, shown(figures[arm].soFar)],
        ]),
      ),
      gate: [gate.outcome, ...gate.rules].join(', '),
      'gate, new less old': differenceShown(gate),
      'naive, new less old': differenceShown(naive),
    })),
  );
  for (const { number, changes } of result.rounds) {
    if (isWorse(changes.gate)) failed(`round ${number}: the version that passed the gate is worse than the one before`);
    for (const [arm, { outcome, rules }] of Object.entries(changes))
      if (outcome === 'failed') failed(`round ${number}: the improvement of ${arm} failed: ${rules.join()}`);
  }
}

function failed(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
