import { normalised } from '#rows/report/normalised.js';
import type { Likeness, Unlike } from '#gpu-runner/contract/schema.js';
import { ArtifactError } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { QuantizedRows, rowsToEncode } from '../classification/index.js';
import type { HeadState } from '../head.js';
import type { SentenceEncoder } from '../text-encoder.js';
import { HASHED_DIMENSIONS, hashedTerms } from './hashed-terms.js';
import { scriptsOf } from './scripts.js';

type Tensors = HeadState['tensors'];

/** Maximum number of texts that a text is compared with; of more, a sample is kept, evenly spread. */
const MAX_TEXTS = 1_000;
/** Of those, as many are compared with the others to find out how near ordinary texts are. */
const MAX_COMPARED = 500;
const NEAREST = 3;
/** Share of the learned texts that would themselves be called unlike the others, by their nearness. */
const UNLIKE_SHARE = 0.02;
/** Share of the learned texts whose length may be a mistake; and how many times as long, or as short, as the others a text may be. */
const ODD_LENGTHS = 0.005;
const LENGTH_FACTOR = 1.5;
/** Share of the learned texts that must have letters of a script, and of the letters of a text that may be of others. */
const COMMON_SCRIPT = 0.01;
const MAX_STRANGE_LETTERS = 0.2;

/**
 * What texts are like, 8 bits a number: their vectors, and from where on a text is unlike them. One text a step.
 * @param encoder null: by their terms alone
 */
export function* learnTexts(texts: readonly string[], encoder: SentenceEncoder | null): Steps<Tensors> {
  const distinct = [...new Map(texts.map((text) => [normalised(text), text])).values()];
  const chosen = rowsToEncode(distinct, MAX_TEXTS);
  const width = (encoder?.sentenceDimensions ?? 0) + HASHED_DIMENSIONS;
  const vectors = new Float32Array(chosen.length * width);
  for (const [row, text] of chosen.entries()) {
    vectors.set(vectorOf(text, encoder), row * width);
    yield;
  }
  const { values } = QuantizedRows.from(vectors, width);
  const nearness: number[] = [];
  const rows = new Vectors(values, width);
  for (const row of rowsToEncode([...chosen.keys()], MAX_COMPARED)) {
    nearness.push(rows.nearness(vectors.subarray(row * width, (row + 1) * width), row));
    yield;
  }
  const lengths = distinct.map((text) => text.length);
  return {
    vectors: { shape: [chosen.length, width], data: values },
    least_nearness: single(chosen.length > 1 ? lowest(nearness, UNLIKE_SHARE) : -1),
    least_length: single(lowest(lengths, ODD_LENGTHS) / LENGTH_FACTOR),
    greatest_length: single(
      -lowest(
        lengths.map((length) => -length),
        ODD_LENGTHS,
      ) * LENGTH_FACTOR,
    ),
    scripts: bytes(commonScripts(distinct).join(' ')),
    encoder: bytes(encoder?.sentenceVectors ?? ''),
  };
}

/** The value below which this share of all is, and the least one if they are too few. */
function lowest(values: readonly number[], share: number): number {
  const place = Math.floor(share * (values.length + 1)) - 1;
  return values.toSorted((a, b) => a - b)[Math.max(0, place)] ?? 0;
}

function commonScripts(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const script of scriptsOf(text).keys()) counts.set(script, (counts.get(script) ?? 0) + 1);
  return [...counts].flatMap(([script, count]) => (count >= COMMON_SCRIPT * texts.length ? [script] : [])).toSorted();
}

const single = (value: number) => ({ shape: [1], data: Float64Array.of(value) });

function bytes(text: string) {
  const data = new TextEncoder().encode(text);
  return { shape: [data.length], data };
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
  private readonly leastNearness: number;
  private readonly leastLength: number;
  private readonly greatestLength: number;
  private readonly scripts: ReadonlySet<string>;
  private readonly encoder: SentenceEncoder | null;

  /**
   * @param encoder of the base; null if it has none
   * @throws ArtifactError when the tensors do not fit each other, or the texts were read by another encoder
   */
  constructor({ vectors, ...tensors }: Tensors, encoder: SentenceEncoder | null) {
    const number = (name: string): number => {
      const value = tensors[name]?.data[0];
      return typeof value === 'number' ? value : damaged(name);
    };
    const text = (name: string): string => {
      const data = tensors[name]?.data;
      return data instanceof Uint8Array ? new TextDecoder().decode(data) : damaged(name);
    };
    const read = text('encoder');
    if (read !== '' && read !== encoder?.sentenceVectors)
      throw new ArtifactError(`The learned texts were read by ${read}.`);
    this.encoder = read === '' ? null : encoder;
    const width = (this.encoder?.sentenceDimensions ?? 0) + HASHED_DIMENSIONS;
    if (!(vectors?.data instanceof Int8Array) || vectors.shape[1] !== width) return damaged('vectors');
    this.vectors = new Vectors(vectors.data, width);
    this.leastNearness = number('least_nearness');
    this.leastLength = number('least_length');
    this.greatestLength = number('greatest_length');
    this.scripts = new Set(text('scripts').split(' '));
  }

  /** @param truncated whether the model did not read the text to its end */
  likenessOf(text: string, truncated: boolean): Likeness {
    const nearness = this.vectors.nearness(vectorOf(text, this.encoder));
    return { nearness, unlike: this.unlike(text, truncated, nearness) };
  }

  private unlike(text: string, truncated: boolean, nearness: number): Unlike | null {
    if (this.strangeLetters(text) > MAX_STRANGE_LETTERS) return 'script';
    if (truncated || text.length < this.leastLength || text.length > this.greatestLength) return 'length';
    return nearness < this.leastNearness ? 'nearness' : null;
  }

  private strangeLetters(text: string): number {
    return [...scriptsOf(text)].reduce((sum, [script, share]) => sum + (this.scripts.has(script) ? 0 : share), 0);
  }
}

function damaged(name: string): never {
  throw new ArtifactError(`The learned texts are damaged: ${name} is missing or does not fit the rest.`);
}
