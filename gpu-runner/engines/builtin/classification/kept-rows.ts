import { ArtifactError, type Example, type InferHead, type NearRow, type RowSource } from '../../engine.js';
import type { Steps } from '../../steps.js';
import type { HeadState, Tensor, TensorData } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import { parseHead, parseVocabulary } from './head.js';
import { QuantizedRows } from './quantized.js';
import { rowsToEncode } from './training/rows.js';
import { TERMS_VERSION } from './terms/terms.js';
import { buildVocabulary, type SparseVector, type Vocabulary } from './terms/vocabulary.js';

type Tensors = HeadState['tensors'];

/** Maximum number of rows that a model keeps to explain its answers; of more, a sample is kept, evenly spread. */
export const MAX_KEPT_ROWS = 10_000;
/** A row of more is not kept: it is read whole to be shown. */
export const MAX_ROW_BYTES = 64 * 1024;
/** Terms kept per row if the base has no encoder: those with the largest weights. */
const MAX_TERMS = 64;
/** Terms by which rows are compared if the model has neither an encoder nor a classifier: those in the most rows. */
const MAX_OWN_TERMS = 32_768;

/** What a row is labelled for. */
const BITS: Readonly<Record<InferHead, number>> = { classifications: 1, entities: 2, structures: 4, relations: 8 };

/**
 * The vectors of the rows that a model learned from, 8 bits a number, and the places of the rows; not their texts,
 * which may be deleted later. Vectors are those of the encoder, or else tf-idf terms. One row a step.
 * @param state of the classifier; null if the model has none
 * @param sources of `rows`, in their order
 * @param encoder null: rows are kept as terms
 */
export function* keepRows(
  rows: readonly Example[],
  sources: readonly RowSource[],
  state: HeadState | null,
  encoder: TextEncoder | null,
): Steps<Tensors> {
  const chosen = rowsToEncode(rowsToEncode(distinctRows(rows, sources)), MAX_KEPT_ROWS);
  const own =
    encoder || state
      ? null
      : buildVocabulary(
          chosen.map(({ text }) => text),
          { minimumTexts: 1, maximumTerms: MAX_OWN_TERMS },
        );
  const vocabulary = own ?? (state && parseHead(state).vocabulary);
  const vectors: SparseVector[] = [];
  for (const { text } of chosen) {
    vectors.push(encoder ? dense(encoder.sentence(text)) : heaviest(vocabulary!.vectorize(text)));
    yield;
  }
  const ends = new Uint32Array(vectors.length);
  vectors.forEach(({ indices }, row) => (ends[row] = (ends[row - 1] ?? 0) + indices.length));
  const values = new Int8Array(ends.at(-1) ?? 0);
  const scales = new Float32Array(vectors.length);
  vectors.forEach((vector, row) => {
    const quantized = QuantizedRows.from(vector.values, vector.values.length).values;
    values.set(quantized, ends[row]! - quantized.length);
    // Not the scale of the numbers, but the one that makes the row's length 1.
    scales[row] = 1 / Math.max(1, Math.hypot(...quantized));
  });
  const of = chosen.map(({ source }) => source);
  return {
    values: flat(values),
    scales: flat(scales),
    ends: flat(ends),
    ...(encoder ? {} : { terms: flat(Int32Array.from(vectors.flatMap(({ indices }) => [...indices]))) }),
    ...(own && { ...own.toTensors(), terms_version: flat(Uint32Array.of(TERMS_VERSION)) }),
    heads: flat(Uint32Array.from(chosen, ({ heads }) => heads)),
    dataset: flat(Uint32Array.from(of, ({ dataset }) => dataset)),
    row: flat(Uint32Array.from(of, ({ row }) => row)),
    start: flat(Float64Array.from(of, ({ start }) => start)),
    bytes: flat(Uint32Array.from(of, ({ bytes }) => bytes)),
  };
}

/** Labelled rows, each once: a copy of a row is no further reason. */
function distinctRows(rows: readonly Example[], sources: readonly RowSource[]) {
  const seen = new Set<string>();
  return rows.flatMap((row, index) => {
    const source = sources[index]!;
    const heads = headsOf(row);
    const key = JSON.stringify(row);
    if (heads === 0 || source.bytes > MAX_ROW_BYTES || seen.has(key)) return [];
    seen.add(key);
    return [{ text: row.text, source, heads }];
  });
}

const bitsOf = (heads: readonly InferHead[]): number => heads.reduce((bits, head) => bits | BITS[head], 0);

const headsOf = ({ labels, tasks, entities, structures, relations }: Example): number =>
  Object.entries({ classifications: labels ?? tasks, entities, structures, relations }).reduce(
    (bits, [head, value]) => (value === undefined ? bits : bits | BITS[head as InferHead]),
    0,
  );

const flat = (data: Tensor['data']): Tensor => ({ shape: [data.length], data });

const dense = (values: Float32Array): SparseVector => ({ indices: Int32Array.from(values.keys()), values });

function heaviest({ indices, values }: SparseVector): SparseVector {
  const places = [...values.keys()].sort((a, b) => values[b]! - values[a]! || a - b).slice(0, MAX_TERMS);
  return {
    indices: Int32Array.from(places, (at) => indices[at]!),
    values: Float32Array.from(places, (at) => values[at]!),
  };
}

/** Rows that a model learned from, in memory. */
export class KeptRows {
  private readonly values: Int8Array;
  private readonly scales: Float32Array;
  /** The end of each row's vector in `values`, exclusive. */
  private readonly ends: Uint32Array;
  /** The terms of the values; null if each row has all dimensions. */
  private readonly terms: Int32Array | null;
  private readonly sources: Readonly<Record<keyof RowSource, Uint32Array | Float64Array>>;
  /** The heads that each row is labelled for. */
  private readonly heads: Uint32Array;
  /** Encodes texts to compare them with the rows; null if the rows were kept as terms. */
  private readonly encoder: TextEncoder | null;
  /** Null if there is an encoder. */
  private readonly vocabulary: Vocabulary | null;

  /**
   * @param state of the classifier; null if the model has none
   * @param encoder of the base; null if it has none
   * @throws ArtifactError when the tensors do not fit each other
   */
  constructor(tensors: Tensors, state: HeadState | null, encoder: TextEncoder | null) {
    const take = takerOf(tensors);
    this.encoder = tensors['terms'] ? null : encoder;
    this.ends = take('ends', Uint32Array);
    const rows = this.ends.length;
    this.values = take('values', Int8Array, this.ends.at(-1) ?? 0);
    this.scales = take('scales', Float32Array, rows);
    this.terms = this.encoder ? null : take('terms', Int32Array, this.values.length);
    this.sources = {
      dataset: take('dataset', Uint32Array, rows),
      row: take('row', Uint32Array, rows),
      start: take('start', Float64Array, rows),
      bytes: take('bytes', Uint32Array, rows),
    };
    this.heads = take('heads', Uint32Array, rows);
    this.vocabulary = this.encoder ? null : vocabularyOf(tensors, state);
  }

  /** Whether a row is labelled for one of the heads. */
  has(heads: readonly InferHead[]): boolean {
    return this.ends.some((_, row) => this.isFor(row, bitsOf(heads)));
  }

  /**
   * The nearest rows, nearest first; of equally near ones, the earlier first. Rows that share nothing with the text are
   * excluded.
   * @param datasets whose rows count
   * @param heads of which a row must be labelled for one
   */
  nearest(text: string, count: number, datasets: ReadonlySet<number>, heads: readonly InferHead[]): readonly NearRow[] {
    const bits = bitsOf(heads);
    const wanted = this.vectorOf(text);
    const best: { readonly row: number; readonly similarity: number }[] = [];
    for (let row = 0; row < this.ends.length; row++) {
      if (!datasets.has(this.sources.dataset[row]!) || !this.isFor(row, bits)) continue;
      const similarity = Math.min(1, this.similarity(row, wanted));
      if (similarity <= (best.length < count ? 0 : best.at(-1)!.similarity)) continue;
      const place = best.findIndex((other) => other.similarity < similarity);
      best.splice(place < 0 ? best.length : place, 0, { row, similarity });
      best.length = Math.min(best.length, count);
    }
    return best.map(({ row, similarity }) => ({ ...this.sourceOf(row), similarity }));
  }

  private isFor(row: number, bits: number): boolean {
    return (this.heads[row]! & bits) !== 0;
  }

  /** The text in all dimensions, or all terms, of length 1. */
  private vectorOf(text: string): Float32Array {
    if (this.encoder) return this.encoder.sentence(text);
    const vocabulary = this.vocabulary!;
    const { indices, values } = vocabulary.vectorize(text);
    const wide = new Float32Array(vocabulary.size);
    indices.forEach((term, at) => (wide[term] = values[at]!));
    return wide;
  }

  private similarity(row: number, wanted: Float32Array): number {
    const { values, terms, ends } = this;
    const begin = row === 0 ? 0 : ends[row - 1]!;
    let sum = 0;
    if (terms) for (let at = begin; at < ends[row]!; at++) sum += values[at]! * wanted[terms[at]!]!;
    else for (let at = begin; at < ends[row]!; at++) sum += values[at]! * wanted[at - begin]!;
    return sum * this.scales[row]!;
  }

  private sourceOf(row: number): RowSource {
    const { dataset, row: place, start, bytes } = this.sources;
    return { dataset: dataset[row]!, row: place[row]!, start: start[row]!, bytes: bytes[row]! };
  }
}

/** The rows' own vocabulary, else that of the classifier. @throws ArtifactError */
function vocabularyOf(tensors: Tensors, classifier: HeadState | null): Vocabulary {
  if (!tensors['terms_version']) {
    if (classifier === null)
      throw new ArtifactError('The kept training rows have no terms, and no classifier has them.');
    return parseHead(classifier).vocabulary;
  }
  if (tensors['terms_version'].data[0] !== TERMS_VERSION)
    throw new ArtifactError('The kept training rows have terms of another version.');
  return parseVocabulary({ tensors });
}

/** @returns a function that takes a tensor by name, of this type and length */
function takerOf(tensors: Tensors) {
  return <T extends TensorData>(name: string, type: new (length: number) => T, length?: number): T => {
    const data = tensors[name]?.data;
    if (data instanceof type && data.length === (length ?? data.length)) return data;
    throw new ArtifactError(`The kept training rows are damaged: ${name} is missing or does not fit the rest.`);
  };
}
