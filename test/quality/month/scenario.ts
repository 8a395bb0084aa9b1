import { Random } from '#gpu-runner/engines/builtin/random.js';
import { onlyLabels, present, read } from '../sets.js';

/** A text with its right label. */
export interface Labelled {
  readonly text: string;
  readonly label: string;
}

/** A round of calls. */
export interface Round {
  /** From 1. */
  readonly number: number;
  /** The texts of the calls. */
  readonly traffic: readonly Labelled[];
  /** Other texts of the same mix, which no model learns. */
  readonly heldOut: readonly Labelled[];
  /** The annotator's labels of the first texts of the traffic. */
  readonly verdicts: readonly Labelled[];
  readonly isBadBatch: boolean;
  /** Labels that come in this round. */
  readonly newLabels: number;
  /**
   * Rows of all labels so far that people checked, for the `regression_dataset` of the gate. No model learns them, and no figure is of
   * them. Null where they are those of the round before.
   */
  readonly checked: readonly Labelled[] | null;
}

export interface Month {
  readonly rounds: readonly Round[];
  /** Rows that the first version learns. */
  readonly first: readonly Labelled[];
  /** All texts held out whose label has come up to this round. */
  readonly soFar: (round: number) => readonly Labelled[];
}

export const ROUNDS = 20;
const FILES = ['banking77', 'snips'] as const;
/** Number of labels used of the first of these files: the first ones at once, the others in the rounds up to `LAST_NEW`. */
const LABELS = 48;
const FIRST_LABELS = 16;
const LAST_NEW = 16;
const OTHER_DOMAIN_COMES = 11;
const FIRST_ROWS_A_LABEL = 20;
const CHECKED_ROWS_A_LABEL = 15;
/** Factor by which texts of a label are more frequent in the rounds after it came. */
const FRESH = { rounds: 4, times: 4 };
const HELD_OUT_CALLS = 200;
const USUAL = { calls: 100, reviewed: 70, wrongShare: 0.1 };
/** Everything is reviewed, in haste and by a wrong instruction. */
const BAD = { calls: 250, reviewed: 250, wrongShare: 0.6 };
const BAD_BATCHES: readonly number[] = [7, 14];

export const MISSING_FILES = FILES.flatMap((file) => [`${file}.train`, `${file}.test`]).filter(
  (file) => !present(file),
);

/**
 * Twenty rounds of traffic whose mix drifts. Of 48 labels of BANKING77, 16 are there at first, and two more come in each round up to the
 * sixteenth; the seven intents of SNIPS, another domain, come in round 11. A new label is frequent for some rounds.
 */
export function monthOf(seed: number): Month {
  const random = new Random(seed);
  const pool = (part: string) =>
    new Map(FILES.flatMap((file) => [...shuffledByLabel(onlyLabels(read(`${file}.${part}`)) as Labelled[], random)]));
  const [learned, heldOut] = [pool('train'), pool('test')];
  const arrivals = arrivalsOf(random);
  const firstLabels = [...arrivals].filter(([, round]) => round === 0).map(([label]) => label);
  const first = firstLabels.flatMap((label) => learned.get(label)!.splice(0, FIRST_ROWS_A_LABEL));
  const checked = [...arrivals].flatMap(([label, came]) =>
    heldOut
      .get(label)!
      .splice(0, CHECKED_ROWS_A_LABEL)
      .map((row) => ({ came, row })),
  );
  const rounds = Array.from({ length: ROUNDS }, (_, index): Round => {
    const number = index + 1;
    const newLabels = [...arrivals.values()].filter((came) => came === number).length;
    const isBadBatch = BAD_BATCHES.includes(number);
    const mix = mixOf(arrivals, number);
    const batch = isBadBatch ? BAD : USUAL;
    const traffic = draw(mix, learned, batch.calls, random, true);
    return {
      number,
      traffic,
      heldOut: draw(mix, heldOut, HELD_OUT_CALLS, random, false),
      verdicts: verdictsOn(traffic.slice(0, batch.reviewed), [...mix.keys()], batch, random),
      isBadBatch,
      newLabels,
      checked: number === 1 || newLabels > 0 ? checked.flatMap(({ came, row }) => (came <= number ? [row] : [])) : null,
    };
  });
  const soFar = (round: number) =>
    [...arrivals].filter(([, came]) => came <= round).flatMap(([label]) => heldOut.get(label)!);
  return { rounds, first, soFar };
}

/** The round in which each label comes; 0 for those of the first version. */
function arrivalsOf(random: Random): ReadonlyMap<string, number> {
  const [banking, snips] = FILES.map((file) => [
    ...new Set(onlyLabels(read(`${file}.test`)).map(({ label }) => label!)),
  ]);
  const order = random.shuffle(banking!).slice(0, LABELS);
  const later = order.length - FIRST_LABELS;
  return new Map([
    ...order.map((label, at): [string, number] => [
      label,
      at < FIRST_LABELS ? 0 : 1 + Math.floor(((at - FIRST_LABELS) * LAST_NEW) / later),
    ]),
    ...snips!.map((label): [string, number] => [label, OTHER_DOMAIN_COMES]),
  ]);
}

/** How frequent each label is in a round. */
function mixOf(arrivals: ReadonlyMap<string, number>, round: number): ReadonlyMap<string, number> {
  const come = [...arrivals].filter(([, came]) => came <= round);
  const isFresh = (came: number) => came > 0 && round - came < FRESH.rounds;
  return new Map(come.map(([label, came]) => [label, isFresh(came) ? FRESH.times : 1]));
}

/** Draws texts of a mix. @param isTaken whether a text that was drawn is not drawn again */
function draw(
  mix: ReadonlyMap<string, number>,
  pool: ReadonlyMap<string, Labelled[]>,
  count: number,
  random: Random,
  isTaken: boolean,
): readonly Labelled[] {
  const total = [...mix.values()].reduce((sum, weight) => sum + weight, 0);
  const drawn = new Set<Labelled>();
  while (drawn.size < count) {
    let at = random.next() * total;
    const label = [...mix].find(([, weight]) => (at -= weight) < 0)?.[0];
    const rows = label === undefined ? [] : pool.get(label)!;
    if (rows.length === 0) continue;
    const row = isTaken ? rows.pop()! : rows[random.below(rows.length)]!;
    drawn.add(row);
  }
  return [...drawn];
}

/**
 * Labels that the annotator gives. Wrong ones are any other label; in a bad batch they follow a wrong instruction: each label is taken
 * for the same other one, so that the mistakes agree with each other.
 */
function verdictsOn(
  rows: readonly Labelled[],
  labels: readonly string[],
  batch: typeof USUAL,
  random: Random,
): readonly Labelled[] {
  const mistaken = (label: string): string => {
    const away = batch === BAD ? 1 : 1 + random.below(labels.length - 1);
    return labels[(labels.indexOf(label) + away) % labels.length]!;
  };
  return rows.map(({ text, label }) => ({ text, label: random.next() < batch.wrongShare ? mistaken(label) : label }));
}

function shuffledByLabel(rows: readonly Labelled[], random: Random): ReadonlyMap<string, Labelled[]> {
  const unique = [...new Map(rows.map((row) => [row.text, row])).values()];
  return Map.groupBy(random.shuffle(unique), ({ label }) => label);
}
