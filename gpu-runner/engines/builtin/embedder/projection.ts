import { hashHigh, hashLow, mixHigh } from '../features/hash.js';

/** Dimensions of every vector. */
export const DIMENSIONS = 256;

/** Every eighth dimension: eight signs come from one hash. */
const SIGNS = 32;
const LANES = DIMENSIONS / SIGNS;

/**
 * Adds a feature's random direction, times a weight: a sign for each dimension, drawn from the feature's hash (random projection
 * with signs, Achlioptas 2003). Directions of different features are almost orthogonal, also when they are cut to their first dimensions.
 */
export function addFeature(vector: Float32Array, feature: string, weight: number): void {
  const high = hashHigh(feature);
  const low = hashLow(feature);
  const step = weight / Math.sqrt(DIMENSIONS);
  for (let lane = 0; lane < LANES; lane++) addSigns(vector, lane, mixHigh(high + Math.imul(low, lane + 1)), step);
}

/** The same in one of eight dimensions only, for features that a word has many of (Kane and Nelson 2014). */
export function addSparseFeature(vector: Float32Array, feature: string, weight: number): void {
  const signs = hashHigh(feature);
  addSigns(vector, hashLow(feature) % LANES, signs, weight / Math.sqrt(SIGNS));
}

function addSigns(vector: Float32Array, lane: number, signs: number, step: number): void {
  for (let at = lane; at < DIMENSIONS; at += LANES) {
    vector[at]! += signs & 1 ? step : -step;
    signs >>>= 1;
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
