import type { SentenceEncoder } from '../../text-encoder.js';
import { isTelling } from '../zero-shot/label-names.js';
import { SHARPNESS, labelVector } from '../zero-shot/name-vectors.js';
import type { MarginMachine } from './margin-machine.js';

/**
 * A machine that no row taught: it scores a class by how near a text is to the class's name and description, and any
 * class without a telling one as the mean of the others. Its scores are linear in the vector of a text, so that they
 * can be added to those of a machine that was learned, at no cost when served.
 * @param descriptions by label
 * @returns null if fewer than two classes can be told by their names
 */
export function nameMachine(
  labels: readonly string[],
  descriptions: ReadonlyMap<string, string>,
  encoder: SentenceEncoder,
): MarginMachine | null {
  const dimensions = encoder.sentenceDimensions;
  const vectors = labels.map((label) => {
    const description = descriptions.get(label);
    if (description === undefined && !isTelling(label)) return null;
    const vector = labelVector(encoder, label, description);
    return vector.some((value) => value !== 0) ? vector : null;
  });
  const told = vectors.filter((vector) => vector !== null);
  if (told.length < 2) return null;
  const weights = new Float32Array(dimensions * labels.length);
  for (let dimension = 0; dimension < dimensions; dimension++) {
    const mean = told.reduce((sum, vector) => sum + vector[dimension]!, 0) / told.length;
    vectors.forEach((vector, label) => {
      if (vector) weights[dimension * labels.length + label] = SHARPNESS * (vector[dimension]! - mean);
    });
  }
  return { weights, bias: new Float32Array(labels.length) };
}
