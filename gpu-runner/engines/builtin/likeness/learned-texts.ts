import { normalised } from '#rows/report/normalised.js';
import type { Likeness, Unlike } from '#gpu-runner/contract/schema.js';
import { ArtifactError } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { QuantizedRows, rowsToEncode } from '../classification/index.js';
import { canonicalJson } from '../artifact/index.js';
import type { HeadState, TensorData } from '../head.js';
import type { SentenceEncoder } from '../text-encoder.js';
import { HASHED_DIMENSIONS, hashedTerms } from './hashed-terms.js';
import { scriptsOf } from './scripts.js';
import { severalOf, type Judge } from './several.js';

type Tensors = HeadState['tensors'];

/** Maximum number of texts that a text is compared with; of more, a sample is kept, evenly spread. */
const MAX_TEXTS = 1_000;
/** Of those, as many are compared with the others to find out how near ordinary texts are. */
const MAX_COMPARED = 500;
/** Held-out texts by which it is found out how much ordinary ones look like several requests. */
const MAX_HELD_OUT = 1_000;
const NEAREST = 3;
/** Share of the learned texts that would themselves be called unlike the others, by their nearness. */
const UNLIKE_SHARE = 0.02;
/** Share of the learned texts whose length may be a mistake; and how many times as long, or as short, as the others a text may be. */
const ODD_LENGTHS = 0.005;
const LENGTH_FACTOR = 1.5;
/** Share of the learned texts that must have letters of a script, and of the letters of a text that may be of others. */
const COMMON_SCRIPT = 0.01;
const MAX_STRANGE_LETTERS = 0.2;
/** Share of ordinary texts that may be called several requests; an estimate of it may be off by its standard deviation. */
const SEVERAL_SHARE = 0.015;
/** A text below is one request, whatever the held-out texts are like: as `severalOf` counts. */
const LEAST_SEVERAL = 0.5;

/** A classifier that chooses one class of a task. */
export interface TaskJudge {
  readonly task: string;
  readonly judge: Judge;
}

/** Where the ordinary ends. */
interface Limits {
  /** Name of the vectors of texts; null if they were compared by their terms alone. */
  readonly encoder: string | null;
  readonly leastNearness: number;
  /** UTF-16 units. */
  readonly lengths: { readonly least: number; readonly usual: number; readonly greatest: number };
  readonly scripts: readonly string[];
  /** By task: from where on a text is several requests, as `severalOf` counts. */
  readonly several: Readonly<Record<string, number>>;
}

/**
 * What texts are like: their vectors, 8 bits a number, and from where on a text is unlike them. One text a step.
 * @param encoder null: by their terms alone
 * @param judges that learned from them
 * @param heldOut texts that the judges did not learn from
 */
export function* learnTexts(
  texts: readonly string[],
  encoder: SentenceEncoder | null,
  judges: readonly TaskJudge[] = [],
  heldOut: readonly string[] = [],
): Steps<Tensors> {
  const distinct = [...new Map(texts.map((text) => [normalised(text), text])).values()];
  const chosen = rowsToEncode(distinct, MAX_TEXTS);
  const width = (encoder?.sentenceDimensions ?? 0) + HASHED_DIMENSIONS;
  const vectors = new Float32Array(chosen.length * width);
  for (const [row, text] of chosen.entries()) {
    vectors.set(vectorOf(text, encoder), row * width);
    yield;
  }
  const { values } = QuantizedRows.from(vectors, width);
  const rows = new Vectors(values, width);
  const nearness: number[] = [];
  for (const row of rowsToEncode([...chosen.keys()], MAX_COMPARED)) {
    nearness.push(rows.nearness(vectors.subarray(row * width, (row + 1) * width), row));
    yield;
  }
  const inOrder = distinct.map((text) => text.length).toSorted((a, b) => a - b);
  const usual = inOrder[inOrder.length >> 1] ?? 0;
  const several = yield* severalFrom(heldOut, usual, judges);
  const limits: Limits = {
    encoder: encoder?.sentenceVectors ?? null,
    leastNearness: chosen.length > 1 ? lowest(nearness, UNLIKE_SHARE) : -1,
    lengths: {
      least: lowest(inOrder, ODD_LENGTHS) / LENGTH_FACTOR,
      usual,
      greatest: highest(inOrder, ODD_LENGTHS) * LENGTH_FACTOR,
    },
    scripts: commonScripts(distinct),
    several,
  };
  const data = new TextEncoder().encode(canonicalJson({ ...limits, lengths: { ...limits.lengths } }));
  return { vectors: { shape: [chosen.length, width], data: values }, limits: { shape: [data.length], data } };
}

/** By task: from where on a text is several requests, so that few that the judges did not learn from are so by any task. */
function* severalFrom(
  heldOut: readonly string[],
  usualLength: number,
  judges: readonly TaskJudge[],
): Steps<Limits['several']> {
  const texts = rowsToEncode(heldOut, MAX_HELD_OUT);
  const limits: [task: string, from: number][] = [];
  const beyond = texts.map(() => -Infinity);
  for (const { task, judge } of judges) {
    const scores: number[] = [];
    for (const text of texts) scores.push(yield* severalOf(text, usualLength, judge, LEAST_SEVERAL));
    const from = ordinaryUntil(scores);
    for (const [at, score] of scores.entries()) beyond[at] = Math.max(beyond[at]!, score - from);
    limits.push([task, from]);
  }
  // By each of several tasks other texts are unlike.
  const more = judges.length > 1 ? Math.max(0, highest(beyond, UNLIKE_SHARE)) : 0;
  return Object.fromEntries(limits.map(([task, from]) => [task, from + more]));
}

/** The usual limit, or a higher one if more than a few texts are above it: of a hundred one or two are by chance. */
function ordinaryUntil(scores: readonly number[]): number {
  const expected = SEVERAL_SHARE * scores.length;
  const above = Math.floor(expected + Math.sqrt(expected));
  return Math.max(LEAST_SEVERAL, scores.toSorted((a, b) => b - a)[above] ?? -Infinity);
}

/** The value below which this share of all is, or the least one if they are too few; 0 if there are none. */
function lowest(values: readonly number[], share: number): number {
  const place = Math.floor(share * (values.length + 1)) - 1;
  return values.toSorted((a, b) => a - b)[Math.max(0, place)] ?? 0;
}

const highest = (values: readonly number[], share: number): number =>
  -lowest(
    values.map((value) => -value),
    share,
  );

function commonScripts(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const script of scriptsOf(text).keys()) counts.set(script, (counts.get(script) ?? 0) + 1);
  return [...counts].flatMap(([script, count]) => (count >= COMMON_SCRIPT * texts.length ? [script] : [])).toSorted();
}

/** Half what the text means, if there is an encoder, and half how it is written. Of length 1. */
function vectorOf(text: string, encoder: SentenceEncoder | null): Float32Array {
  const written = hashedTerms(text);
  if (encoder === null) return written;
  const meant = encoder.sentence(text);
  const vector = new Float32Array(meant.length + written.length);
  vector.set(meant.map((value) => value * Math.SQRT1_2));
  vector.set(
    written.map((value) => value * Math.SQRT1_2),
    meant.length,
  );
  return vector;
}

/** Vectors of one length, as rows of 8-bit numbers. */
class Vectors {
  private readonly scales: Float32Array;

  constructor(
    private readonly values: Int8Array,
    private readonly width: number,
  ) {
    this.scales = Float32Array.from({ length: values.length / width }, (_, row) => {
      let squares = 0;
      for (let at = row * width; at < (row + 1) * width; at++) squares += values[at]! ** 2;
      return 1 / Math.max(1, Math.sqrt(squares));
    });
  }

  /**
   * The mean cosine to the nearest rows; 0 if there are none.
   * @param without a row that does not count
   */
  nearness(vector: Float32Array, without = -1): number {
    const best = new Float32Array(NEAREST).fill(-1);
    const { values, width, scales } = this;
    for (let row = 0; row < scales.length; row++) {
      if (row === without) continue;
      let sum = 0;
      for (let at = 0, from = row * width; at < width; at++) sum += vector[at]! * values[from + at]!;
      let similarity = Math.min(1, sum * scales[row]!);
      for (let place = 0; place < NEAREST; place++)
        if (similarity > best[place]!) [best[place], similarity] = [similarity, best[place]!];
    }
    const compared = best.subarray(0, scales.length - (without < 0 ? 0 : 1));
    return compared.length === 0 ? 0 : compared.reduce((sum, each) => sum + each, 0) / compared.length;
  }
}

/** The texts that a model learned from, in memory. */
export class LearnedTexts {
  private readonly vectors: Vectors;
  private readonly limits: Limits;
  private readonly encoder: SentenceEncoder | null;
  private readonly scripts: ReadonlySet<string>;

  /**
   * @param encoder of the base; null if it has none
   * @throws ArtifactError when the tensors do not fit each other, or the texts were read by another encoder
   */
  constructor({ vectors, limits }: Tensors, encoder: SentenceEncoder | null) {
    this.limits = limitsIn(limits?.data);
    const read = this.limits.encoder;
    if (read !== null && read !== encoder?.sentenceVectors)
      throw new ArtifactError(`The learned texts were read by ${read}.`);
    this.encoder = read === null ? null : encoder;
    this.scripts = new Set(this.limits.scripts);
    const width = (this.encoder?.sentenceDimensions ?? 0) + HASHED_DIMENSIONS;
    if (!(vectors?.data instanceof Int8Array) || vectors.shape[1] !== width) throw damaged('vectors');
    this.vectors = new Vectors(vectors.data, width);
  }

  /**
   * @param truncated whether the model did not read the text to its end
   * @param judges of the tasks that were asked for
   */
  *likenessOf(text: string, truncated: boolean, judges: readonly TaskJudge[] = []): Steps<Likeness> {
    const nearness = this.vectors.nearness(vectorOf(text, this.encoder));
    const unlike = this.unlike(text, truncated, nearness) ?? ((yield* this.isSeveral(text, judges)) ? 'several' : null);
    return { nearness, unlike };
  }

  private unlike(text: string, truncated: boolean, nearness: number): Unlike | null {
    const { lengths, leastNearness } = this.limits;
    if (this.strangeLetters(text) > MAX_STRANGE_LETTERS) return 'script';
    if (truncated || text.length < lengths.least || text.length > lengths.greatest) return 'length';
    return nearness < leastNearness ? 'nearness' : null;
  }

  private *isSeveral(text: string, judges: readonly TaskJudge[]): Steps<boolean> {
    const { several, lengths } = this.limits;
    for (const { task, judge } of judges) {
      const limit = several[task] ?? Infinity;
      if ((yield* severalOf(text, lengths.usual, judge, limit)) > limit) return true;
    }
    return false;
  }

  private strangeLetters(text: string): number {
    return [...scriptsOf(text)].reduce((sum, [script, share]) => sum + (this.scripts.has(script) ? 0 : share), 0);
  }
}

function limitsIn(data: TensorData | undefined): Limits {
  if (!(data instanceof Uint8Array)) throw damaged('limits');
  try {
    return JSON.parse(new TextDecoder().decode(data)) as Limits;
  } catch {
    throw damaged('limits');
  }
}

const damaged = (name: string): ArtifactError =>
  new ArtifactError(`The learned texts are damaged: ${name} is missing or does not fit the rest.`);
