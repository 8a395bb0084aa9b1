/**
 * `npm run quality -- zero-shot`: entities without any training. The base model alone beside `anneal/encoder-small-v1`, which judges
 * labels that are no types by their names: on the project's labelled sentences, each kind by weights that were learned from the other
 * kinds, and on the test rows of WNUT-17 and SNIPS where those are here.
 */
import { ZeroShotEntities, type ZeroShotWeights } from '#gpu-runner/engines/builtin/entities/index.js';
import { createModel } from '#gpu-runner/engines/builtin/inference/model.js';
import { loadBase, type LoadedBase } from '#gpu-runner/engines/builtin/inference/index.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import { scopeOf, type LabelScope } from '#gpu-runner/engines/builtin/labels/index.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import type { EntityHit, Example, LoadedModel } from '#gpu-runner/engines/engine.js';
import { openPack } from '#gpu-runner/engines/packs/base.js';
import { ENCODER } from '#gpu-runner/engines/packs/facts.js';
import { PackTextEncoder } from '#gpu-runner/engines/packs/text-encoder.js';
import { zeroShotWeights } from '#gpu-runner/engines/packs/zero-shot/weights.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { fit, prepare } from '#tools/zero-shot/fitting.js';
import { labelsOfKinds, readSentences, type Sentence } from '#tools/zero-shot/sentences.js';
import { present, SETS } from './sets.js';
import { enginesHere } from './systems.js';

const MOST_OF_FEW = 4;
const BINS = 10;

/** A text, the labels that are asked for, and what is right. */
interface Asked {
  readonly example: Example;
  readonly labels: readonly string[];
  readonly model: LoadedModel;
}

/** @returns why nothing was measured; null once it was */
export function measureZeroShot(): string | null {
  const found = enginesHere().baseModel(ENCODER.id);
  if (found === null) return 'its encoder pack is not here; see docs/guides/packs.md';
  const base = loadBase(builtin.baseModels[0]!.directory);
  const options = { wanted: 'sentence', maxKeptBytes: 0, whenFull: 'keep' } as const;
  const encoder = new PackTextEncoder(openPack(ENCODER.pack, found.model.directory, 'sentence'), options);
  const judging = (weights: ZeroShotWeights) =>
    modelOf({ ...base, zeroShot: new ZeroShotEntities(base.tagger, encoder, weights) });
  const before = modelOf(base);

  const sentences = readSentences();
  const prepared = prepare(sentences, base.tagger, encoder);
  const labels = labelsOfKinds(sentences);
  const without = (isLeftOut: (sentence: Sentence) => boolean) =>
    judging(
      fit(
        prepared,
        sentences.filter((each) => !isLeftOut(each)),
      ),
    );
  const heldOut = new Map([...labels.keys()].map((kind) => [kind, without((each) => each.kind === kind)]));
  const first = without(({ part }) => part === 'second');
  const few = fewLabels(sentences, labels);

  const asked = (requests: readonly Request[], model: (row: Sentence) => LoadedModel) =>
    [...Map.groupBy(requests, ({ row }) => row.kind)].map(([kind, own]) => ({
      kind,
      ...figuresOf(own.map(({ row, labels: names }) => ({ example: row, labels: names, model: model(row) }))),
    }));
  const left = (row: Sentence) => heldOut.get(row.kind)!;
  const bothOf = (requests: readonly Request[], after = left) =>
    [asked(requests, () => before), asked(requests, after)] as const;
  const all = sentences.map((row) => ({ row, labels: labels.get(row.kind)! }));
  const each = (scope: LabelScope) =>
    all.flatMap(({ row, labels: own }) =>
      own.filter((name) => scopeOf(name) === scope).map((name) => ({ row, labels: [name] })),
    );
  const byKind = bothOf(all);
  console.table(byKind[1].map((after, at) => ({ kind: after.kind, before: byKind[0][at]!.f1, after: after.f1 })));
  console.table({
    'each kind left out': compared(...byKind),
    '1 to 4 labels': compared(...bothOf(few)),
    '1 narrower label': compared(...inOne(bothOf(each('narrower')))),
    '1 unknown label': compared(...inOne(bothOf(each('unknown')))),
    'second part, learned from the first': compared(
      ...bothOf(
        all.filter(({ row }) => row.part === 'second'),
        () => first,
      ),
    ),
    ...Object.fromEntries(
      SETS.filter(({ name, files }) => ['wnut17', 'snips-slots'].includes(name) && files.every(present)).map((set) => {
        const rows = set.test();
        const names = [...new Set(rows.flatMap(({ entities = [] }) => entities.map(({ label }) => label)))];
        const [old, now] = [before, judging(zeroShotWeights())].map((model) =>
          figuresOf(rows.map((example) => ({ example, labels: names, model }))),
        );
        return [set.title, compared([old!], [now!])];
      }),
    ),
  });
  return null;
}

const modelOf = (base: LoadedBase): LoadedModel => createModel(base, {}, 0);

/** A sentence and the labels that are asked for. */
interface Request {
  readonly row: Sentence;
  readonly labels: readonly string[];
}

/** One to four labels a sentence, the same each time. */
function fewLabels(sentences: readonly Sentence[], labels: ReadonlyMap<string, readonly string[]>): readonly Request[] {
  const random = new Random(9);
  return sentences.map((row) => {
    const own = random.shuffle([...labels.get(row.kind)!]);
    return { row, labels: own.slice(0, 1 + random.below(MOST_OF_FEW)) };
  });
}

/** Kinds have too few entities of one label: all of them count together. */
const inOne = (both: readonly (readonly Figures[])[]): [Figures[], Figures[]] => {
  const [before, after] = both.map((figures) => {
    const [right, found, gold] = (['right', 'found', 'gold'] as const).map((name) =>
      figures.reduce((sum, each) => sum + each[name], 0),
    );
    const cpuMilliseconds = figures.reduce((sum, each) => sum + each.cpuMilliseconds, 0) / figures.length;
    const hits = figures.flatMap((each) => each.hits);
    return [{ f1: f1Of(right!, found!, gold!), right: right!, found: found!, gold: gold!, cpuMilliseconds, hits }];
  });
  return [before!, after!];
};

const f1Of = (right: number, found: number, gold: number): number =>
  Number(((2 * right) / Math.max(1, found + gold)).toFixed(3));

interface Figures {
  readonly f1: number;
  readonly right: number;
  readonly found: number;
  readonly gold: number;
  readonly cpuMilliseconds: number;
  readonly hits: readonly { readonly confidence: number; readonly isRight: boolean }[];
}

function figuresOf(rows: readonly Asked[]): Figures {
  const start = process.cpuUsage();
  const answers = rows.map(({ example, labels, model }) => {
    const schema = { entities: labels.map((name) => ({ name })) };
    return Object.values(
      drain(model.infer({ texts: [example.text], schema, threshold: null })).results[0]!.entities!,
    ).flat();
  });
  const { user, system } = process.cpuUsage(start);
  const golds = rows.map(({ example, labels }) =>
    (example.entities ?? []).filter(({ label }) => labels.includes(label)),
  );
  const hits = answers.flatMap((found, at) => judgedHits(found, golds[at]!));
  const right = hits.filter(({ isRight }) => isRight).length;
  const gold = golds.reduce((sum, own) => sum + own.length, 0);
  return {
    f1: f1Of(right, hits.length, gold),
    right,
    found: hits.length,
    gold,
    cpuMilliseconds: (user + system) / 1_000 / rows.length,
    hits,
  };
}

const judgedHits = (found: readonly EntityHit[], gold: NonNullable<Example['entities']>): Figures['hits'] =>
  found.map(({ start, end, label, confidence }) => ({
    confidence,
    isRight: gold.some((entity) => entity.start === start && entity.end === end && entity.label === label),
  }));

/** Means over the kinds; precision, recall and calibration error over all of their hits. */
function compared(before: readonly Figures[], after: readonly Figures[]) {
  const mean = (figures: readonly Figures[], of: (each: Figures) => number) =>
    figures.reduce((sum, each) => sum + of(each), 0) / figures.length;
  const sum = (of: (each: Figures) => number) => mean(after, of) * after.length;
  const rounded = { before: mean(before, ({ f1 }) => f1), after: mean(after, ({ f1 }) => f1) };
  const others = {
    precision: sum(({ right }) => right) / sum(({ found }) => found),
    recall: sum(({ right }) => right) / sum(({ gold }) => gold),
    'calibration error before': calibrationError(before.flatMap(({ hits }) => hits)),
    'calibration error': calibrationError(after.flatMap(({ hits }) => hits)),
    'CPU ms a text': mean(after, ({ cpuMilliseconds }) => cpuMilliseconds),
  };
  return Object.fromEntries(
    Object.entries({ ...rounded, ...others }).map(([name, value]) => [name, Number(value.toFixed(3))]),
  );
}

/** The expected one, in ten bins. */
function calibrationError(hits: Figures['hits']): number {
  const bins = Map.groupBy(hits, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  const off = [...bins.values()].map((bin) =>
    Math.abs(bin.reduce((sum, { confidence, isRight }) => sum + confidence - Number(isRight), 0)),
  );
  return off.reduce((sum, value) => sum + value, 0) / Math.max(1, hits.length);
}
