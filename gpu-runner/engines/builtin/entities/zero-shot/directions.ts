import { dot } from '#primitives/vectors.js';

/** The mean of some rows. @param rows row-major [any, width] @param end exclusive */
export function meanOfRows(rows: Float32Array, width: number, first: number, end: number): Float32Array {
  const mean = new Float32Array(width);
  for (let at = first * width; at < end * width; at++) mean[at % width]! += rows[at]! / (end - first);
  return mean;
}

/** The direction in which a vector lies from a centre, of length 1; zeros at the centre. */
export function directionFrom(vector: Float32Array, centre: ArrayLike<number>): Float32Array {
  const away = vector.map((value, at) => value - centre[at]!);
  const length = Math.sqrt(dot(away, away));
  return length === 0 ? away : away.map((value) => value / length);
}

/** How many standard deviations a cosine lies above the mean of the usual ones. */
export function aboveUsual(cosine: number, { mean, deviation }: Usual): number {
  return (cosine - mean) / deviation;
}

interface Usual {
  readonly mean: number;
  readonly deviation: number;
}

/** Mean and deviation of the cosines of a direction with those of usual labels. */
export function usualCosines(direction: Float32Array, usual: readonly Float32Array[]): Usual {
  const cosines = usual.map((each) => dot(direction, each));
  const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
  const variance = cosines.reduce((sum, value) => sum + (value - mean) ** 2, 0) / cosines.length;
  return { mean, deviation: Math.sqrt(variance) + 1e-6 };
}
