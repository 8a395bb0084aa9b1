import { randomNumbers } from '#primitives/random-numbers.js';
import { dot } from '#primitives/vectors.js';

/** Vectors in a bucket of a table, on average; and those of a bucket that another is compared with, at most. */
const BUCKET = 64;
const MAX_COMPARED = 256;
/** Chance that a near pair meets in no table. */
const OVERLOOKED = 0.01;
const MAX_TABLES = 32;

/**
 * The places of vectors of length 1 that are near to an earlier one, which is not itself near to one. Pairs are looked for in buckets of
 * vectors on the same side of random planes through their mean (Charikar 2002), so that 100,000 take a minute at most; about one pair in
 * a hundred is overlooked.
 * @param least cosine from which two are near
 */
export function nearToEarlier(vectors: readonly Float32Array[], least: number): ReadonlySet<number> {
  const near = new Set<number>();
  for (const table of planesFor(vectors, least)) {
    const buckets = new Map<number, number[]>();
    for (const [place, vector] of vectors.entries()) {
      if (near.has(place)) continue;
      const code = table.reduce((sum, { plane, offset }, bit) => sum + (dot(vector, plane) > offset ? 2 ** bit : 0), 0);
      const bucket = buckets.get(code) ?? [];
      if (bucket.length === 0) buckets.set(code, bucket);
      if (bucket.some((earlier) => dot(vectors[earlier]!, vector) >= least)) near.add(place);
      else if (bucket.length < MAX_COMPARED) bucket.push(place);
    }
  }
  return near;
}

interface Plane {
  readonly plane: Float32Array;
  readonly offset: number;
}

/** Planes of each table. Few vectors have one table without any: each is compared with all. */
function planesFor(vectors: readonly Float32Array[], least: number): readonly (readonly Plane[])[] {
  const bits = Math.max(0, Math.ceil(Math.log2(vectors.length / BUCKET)));
  if (bits === 0) return [[]];
  const mean = meanOf(vectors);
  // The mean square distance from the mean.
  const spread = Math.max(1e-6, 1 - dot(mean, mean));
  const angle = Math.acos(Math.max(-1, 1 - (1 - least) / spread));
  const meeting = (1 - angle / Math.PI) ** bits;
  const tables = Math.min(MAX_TABLES, Math.max(1, Math.ceil(Math.log(OVERLOOKED) / Math.log(1 - meeting))));
  const random = randomNumbers(1);
  return Array.from({ length: tables }, () =>
    Array.from({ length: bits }, () => {
      const plane = Float32Array.from(mean, () => random() + random() + random() - 1.5);
      return { plane, offset: dot(plane, mean) };
    }),
  );
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float64Array(vectors[0]!.length);
  for (const vector of vectors) for (let axis = 0; axis < sum.length; axis += 1) sum[axis]! += vector[axis]!;
  return Float32Array.from(sum, (value) => value / vectors.length);
}
