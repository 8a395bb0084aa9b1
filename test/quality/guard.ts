import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inferCertain } from '#gpu-runner/engines/certainty.js';
import type { Example, InferResult, LoadedModel } from '#gpu-runner/engines/engine.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { normalised } from '#rows/report/normalised.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import { drawOf } from './draws.js';
import { joinedTexts } from './joined-texts.js';
import { DATA_DIRECTORY, present, SETS, type DataSet, type RowCount } from './sets.js';
import { enginesHere } from './systems.js';
import { loaded, trainedOn } from './trained.js';

const MODELS = ['anneal/encoder-base-v1', 'anneal/encoder-small-v1'];
const COUNTS = [300, 1_000, 'all'] as const satisfies readonly RowCount[];
const DRAW = 1;
const TASK = 'label';
/** Texts of each kind that are asked. */
const ASKED = 500;
/** The share of its answers in which a model that answers by itself is right. */
const TARGET = 0.95;

/** Shares of texts that are answered without and with the guard. */
interface Shares {
  readonly answered: number;
  readonly guarded: number;
}

export interface GuardFigures {
  /** Other texts of the kind that was learned. */
  readonly own: Shares;
  readonly domain: Shares;
  readonly language: Shares;
  /** Two of different classes in one text. */
  readonly joined: Shares;
  /** Share of the answers to ordinary texts that are right. */
  readonly right: number;
  /** CPU milliseconds of an answer with its certainty and likeness. */
  readonly msAText: number;
}

interface Asked {
  readonly result: InferResult;
  readonly isRight: boolean;
}

/**
 * Which texts that are unlike those learned are answered all the same: those of another domain, of other languages, and two requests
 * in one. A text is answered if its certainty is at least the least one from which .95 of the ordinary texts are right, and, with the
 * guard, if it is not out of the ordinary. The certainty is chosen on other ordinary texts than are counted.
 * @param names sets, models or numbers of rows; none: all
 * @returns why it was skipped; null if it was not
 */
export async function measureGuard(names: readonly string[]): Promise<string | null> {
  const sets = ['banking77', 'snips-intents'].map((name) => SETS.find((set) => set.name === name)!);
  if (!sets.every(({ files }) => files.every(present))) return `guard (its data are not in ${DATA_DIRECTORY})`;
  const models = MODELS.filter((id) => enginesHere().baseModel(id));
  for (const id of MODELS) if (!models.includes(id)) console.log(`skipped: ${id} (its encoder pack is not here)`);
  const isChosen = (all: readonly unknown[], one: unknown): boolean => {
    const among = names.filter((name) => all.some((each) => String(each).includes(name)));
    return among.length === 0 || among.some((name) => String(one).includes(name));
  };
  const table: object[] = [];
  for (const id of models.filter((each) => isChosen(MODELS, each)))
    for (const set of sets.filter(({ name }) => isChosen(['banking77', 'snips-intents'], name)))
      for (const count of COUNTS.filter((each) => isChosen(COUNTS, each))) {
        const other = sets.find((each) => each !== set)!;
        const { right, msAText, ...kinds } = await guardFigures(id, set, count, other);
        const shares = Object.entries(kinds).map(([kind, of]) => [kind, `${of.answered} / ${of.guarded}`] as const);
        const named = { model: id.replace('anneal/encoder-', ''), set: set.name, rows: count };
        table.push({ ...named, ...Object.fromEntries(shares), right, 'ms a text': msAText });
        console.log(JSON.stringify(table.at(-1)));
      }
  console.table(table);
  return null;
}

/** @param other a set of another domain */
export async function guardFigures(id: string, set: DataSet, count: RowCount, other: DataSet): Promise<GuardFigures> {
  const { train, validation } = drawOf(set.train(), count, DRAW);
  const known = new Set([...train, ...validation].map(({ text }) => normalised(text)));
  const ordinary = new Random(DRAW).shuffle(
    [...distinct(set.test())].filter(({ text }) => !known.has(normalised(text))),
  );
  const [chosen, counted] = [ordinary.slice(0, ordinary.length / 2), ordinary.slice(ordinary.length / 2)];
  const folder = mkdtempSync(join(tmpdir(), 'guard-'));
  try {
    const outputDirectory = folder;
    const artifact = await trainedOn(id, { head: 'labels', trainingType: 'lora', train, validation, outputDirectory });
    const model = await loaded(id, artifact);
    const ask = (rows: readonly Example[]) => asked(model, rows);
    const least = leastCertainty(await ask(chosen));
    const answered = (all: readonly Asked[]) => all.filter(({ result }) => result.certainty! >= least);
    const share = (some: readonly Asked[], all: readonly Asked[]) => Number((some.length / all.length).toFixed(3));
    const isOrdinary = ({ result }: Asked) => result.likeness!.unlike === null;
    const shares = (all: readonly Asked[]): Shares => ({
      answered: share(answered(all), all),
      guarded: share(answered(all).filter(isOrdinary), all),
    });
    const own = await ask(counted.slice(0, ASKED));
    const before = process.cpuUsage();
    await ask(counted.slice(0, ASKED));
    const { user, system } = process.cpuUsage(before);
    return {
      own: shares(own),
      right: share(
        answered(own).filter(({ isRight }) => isRight),
        answered(own),
      ),
      domain: shares(await ask(new Random(DRAW).shuffle([...distinct(other.test())]).slice(0, ASKED))),
      language: shares(await ask(otherLanguages(set.name))),
      joined: shares(await ask(joinedTexts(ordinary, ASKED, DRAW))),
      msAText: Number(((user + system) / 1_000 / own.length).toFixed(2)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function asked(model: LoadedModel, rows: readonly Example[]): Promise<readonly Asked[]> {
  const schema = { classifications: [{ task: TASK, labels: model.abilities.classLabels!, multiLabel: false }] };
  const texts = rows.map(({ text }) => text);
  const { results } = await inferCertain(async (request) => drain(model.infer(request)), {
    texts,
    schema,
    threshold: null,
    likeness: true,
  });
  return results.map((result, at) => ({
    result,
    isRight: rows[at]!.labels?.includes(result.classifications![TASK]![0]!.label) === true,
  }));
}

/** The least certainty from which the target is held. */
function leastCertainty(all: readonly Asked[]): number {
  let [right, least] = [0, 1];
  const sorted = all.toSorted((a, b) => b.result.certainty! - a.result.certainty!);
  for (const [before, { isRight, result }] of sorted.entries()) {
    if (isRight) right += 1;
    if (right >= TARGET * (before + 1)) least = result.certainty!;
  }
  return least;
}

const distinct = (rows: readonly Example[]): Iterable<Example> =>
  new Map(rows.map((row) => [normalised(row.text), row])).values();

function otherLanguages(set: string): readonly Example[] {
  const texts = JSON.parse(readFileSync(join(import.meta.dirname, 'other-languages.json'), 'utf8')) as Readonly<
    Record<string, Readonly<Record<string, readonly string[]>>>
  >;
  return Object.values(texts[set]!).flatMap((some) => some.map((text) => ({ text })));
}
