import type { ReadStoreQueries } from '#ports/read-store/port.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments, type NumberedScope } from '#projections/inferences/queries.js';

/** Calls that are read at once. */
const CHUNK = 100;
/** Calls that are looked through for a page. */
const MAX_EXAMINED = 5_000;

/**
 * Calls of a numbered scope, each once, in an order that looks random and depends on the seed only. New calls are
 * inserted without changing the order of the others, until the number of calls passes a power of two.
 * @param seed 0 to 2^32 - 1
 */
export async function* randomCalls(
  store: ReadStoreQueries,
  { where, ordinal }: NumberedScope,
  seed: number,
): AsyncGenerator<InferenceDocument> {
  const order = { field: ordinal, direction: 'descending' } as const;
  const [newest] = await inferenceDocuments.find(store, { where, range: { field: ordinal, from: 1 }, order, limit: 1 });
  const total = (newest as InferenceDocument | undefined)?.[ordinal] ?? 0;
  const numbers = permuted(total, seed).take(MAX_EXAMINED).toArray();
  for (let from = 0; from < numbers.length; from += CHUNK) {
    const chunk = numbers.slice(from, from + CHUNK);
    const found = await inferenceDocuments.find(store, { where: { ...where, [ordinal]: chunk }, limit: CHUNK });
    const byNumber = new Map(found.map((call) => [(call as InferenceDocument)[ordinal], call as InferenceDocument]));
    for (const number of chunk) {
      const call = byNumber.get(number);
      if (call) yield call;
    }
  }
}

const ROUNDS = 4;

/** The numbers 1 to `total`, each once: a permutation of a power of two of them, without those that are too large. */
export function* permuted(total: number, seed: number): Generator<number, void, undefined> {
  const bits = Math.max(2, Math.ceil(Math.log2(total + 1)));
  const mask = 2 ** bits - 1;
  for (let index = 0; index <= mask; index += 1) {
    let mixed = index;
    // Each step can be undone within these bits, so that no number comes twice.
    for (let round = 1; round <= ROUNDS; round += 1) {
      mixed = (Math.imul(mixed, 0x9e3779b1) + Math.imul(seed, 2 * round + 1)) & mask;
      mixed ^= mixed >>> (bits >> 1);
    }
    if (mixed < total) yield mixed + 1;
  }
}
