import type { SentenceEncoder } from '../../text-encoder.js';
import type { LabelledText } from './corpus.js';
import type { SparseVector, Vocabulary } from '../terms/vocabulary.js';

/** Terms of rows kept as vectors, 8 bytes each; rows beyond are read again at each use. */
const MAX_KEPT_TERMS = 30_000_000;

/** Labelled rows as vectors: of terms, or of an encoder. */
export interface VectorRows {
  readonly count: number;
  vector(row: number): SparseVector;
  /** Indices of the row's classes; a class that training has never seen is -1. */
  labels(row: number): readonly number[];
}

export function vectorRows(rows: readonly LabelledText[], vocabulary: Vocabulary): VectorRows {
  const kept: SparseVector[] = [];
  let terms = 0;
  for (const { text } of rows) {
    const vector = vocabulary.vectorize(text);
    terms += vector.indices.length;
    if (terms > MAX_KEPT_TERMS) break;
    kept.push(vector);
  }
  return {
    count: rows.length,
    vector: (row) => kept[row] ?? vocabulary.vectorize(rows[row]!.text),
    labels: (row) => rows[row]!.labels,
  };
}

/** Rows whose vectors are learned from: each takes some milliseconds to encode. */
export const MAX_ENCODED_ROWS = 50_000;

/** The rows, or an evenly spread sample of them for encoding. */
export function rowsToEncode<Row>(rows: readonly Row[], most = MAX_ENCODED_ROWS): readonly Row[] {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, at) => rows[Math.floor((at * rows.length) / most)]!);
}

/** Labelled rows as the encoder's vectors of their texts, with dimensions as terms. */
export function encodedRows(rows: readonly LabelledText[], encoder: SentenceEncoder): VectorRows {
  const indices = Int32Array.from({ length: encoder.sentenceDimensions }, (_, dimension) => dimension);
  const values = rows.map(({ text }) => encoder.sentence(text));
  return {
    count: rows.length,
    vector: (row) => ({ indices, values: values[row]! }),
    labels: (row) => rows[row]!.labels,
  };
}

export function selectRows(rows: VectorRows, selected: readonly number[]): VectorRows {
  return {
    count: selected.length,
    vector: (row) => rows.vector(selected[row]!),
    labels: (row) => rows.labels(selected[row]!),
  };
}

/** Marks the terms that occur in the rows: 1 at the index of each. */
export function termsIn(rows: VectorRows, terms: number): Uint8Array {
  const seen = new Uint8Array(terms);
  for (let row = 0; row < rows.count; row++) for (const term of rows.vector(row).indices) seen[term] = 1;
  return seen;
}

/** The vector as it would be if only the seen terms were known. */
export function restricted({ indices, values }: SparseVector, seen: Uint8Array): SparseVector {
  let squares = 0;
  indices.forEach((term, at) => (squares += seen[term]! * values[at]! ** 2));
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  return { indices, values: values.map((value, at) => value * seen[indices[at]!]! * scale) };
}
