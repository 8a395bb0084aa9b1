import { hashHigh, hashLow, mixHigh } from '../features/hash.js';

/** Of every vector. */
export const DIMENSIONS = 256;

const WORDS = DIMENSIONS / 32;
/** A sign as a coordinate, so that a projected feature has length 1. */
const STEP = 1 / Math.sqrt(DIMENSIONS);

/**
 * Adds a feature's random direction, times a weight: a sign for each dimension, drawn from the feature's hash (random projection
 * with signs, Achlioptas 2003). Directions of different features are almost orthogonal, and so are their first so many dimensions.
 */
export function addFeature(vector: Float32Array, feature: string, weight: number): void {
  const high = hashHigh(feature);
  const low = hashLow(feature);
  const step = weight * STEP;
  for (let word = 0, at = 0; word < WORDS; word++) {
    let bits = mixHigh(high + Math.imul(low, word + 1));
    for (let bit = 0; bit < 32; bit++, at++) {
      vector[at]! += bits & 1 ? step : -step;
      bits >>>= 1;
    }
  }
}

/** Scales to length 1. @returns false for the zero vector, which stays */
export function normalize(vector: Float32Array): boolean {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return false;
  const scale = 1 / Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) vector[at]! *= scale;
  return true;
}
