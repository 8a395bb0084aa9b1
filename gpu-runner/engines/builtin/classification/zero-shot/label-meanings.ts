import { dot } from '#primitives/vectors.js';
import { unit, type WordTable } from '../../word-table/word-table.js';
import { nearestByChance, USUAL_LABELS } from './usual-labels.js';

/** Share of the label names' common component that is subtracted from each: labels about cards all lie near a text about a card. */
const COMMON_SHARE = 0.5;

/** Words by which the table knows a label. */
export interface LabelWords {
  /** In lower case. */
  readonly words: readonly string[];
  /** Whether the label is for texts that no other label fits: it is at least as near to a text as one of the others by chance. */
  readonly isDefault: boolean;
}

/**
 * Measures how near each label is to a text in meaning.
 * @returns a function from the vector of a text to one cosine for each label, 0 for a name without known words; null if no label
 *   has known words
 */
export function labelMeanings(
  labels: readonly LabelWords[],
  table: WordTable,
): ((text: Float32Array) => Float64Array) | null {
  const vectors = apart(labels.map(({ words }) => table.textVector(words)));
  if (vectors.every((vector) => vector === null)) return null;
  const competitors = labels.filter((label) => !label.isDefault).length;
  const usual = competitors < labels.length ? usualVectors(table) : [];
  return (text) => {
    const byChance = usual.length === 0 ? 0 : nearestByChance(cosines(usual, text), competitors);
    return Float64Array.from(vectors, (vector, at) => {
      const cosine = vector === null ? 0 : dot(vector, text);
      return labels[at]!.isDefault ? Math.max(byChance, cosine) : cosine;
    });
  };
}

const usualOfTables = new WeakMap<WordTable, readonly Float32Array[]>();

/** Vectors of the usual labels that the table knows, computed like those of other labels. */
function usualVectors(table: WordTable): readonly Float32Array[] {
  let usual = usualOfTables.get(table);
  if (usual === undefined) {
    usual = apart(USUAL_LABELS.map((label) => table.textVector([label]))).filter((vector) => vector !== null);
    usualOfTables.set(table, usual);
  }
  return usual;
}

/** Vectors without `COMMON_SHARE` of their mean, of length 1. */
function apart(vectors: readonly (Float32Array | null)[]): (Float32Array | null)[] {
  const known = vectors.filter((vector) => vector !== null);
  const common = known[0]?.map((_, at) => known.reduce((sum, vector) => sum + vector[at]!, 0) / known.length);
  return vectors.map((vector) => vector && unit(vector.map((value, at) => value - COMMON_SHARE * common![at]!)));
}

const cosines = (vectors: readonly Float32Array[], text: Float32Array): number[] =>
  vectors.map((vector) => dot(vector, text));
