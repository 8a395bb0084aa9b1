import { ArtifactError } from '../engine.js';

/** A graph that is ready to run. */
export interface PackSession {
  /**
   * Runs at once, in the calling thread.
   * @param ids of the tokens of one text, or of `texts` texts of equal length, one after the other
   * @returns the outputs by name
   */
  run(ids: readonly number[], texts?: number): Readonly<Record<string, { readonly data: Float32Array }>>;
}

/** @throws ArtifactError when the model does not load */
export type OpenSession = (model: Uint8Array, outputs: readonly string[]) => PackSession;

/** Inputs of encoders of the BERT family: token ids, attention mask (all 1), segment ids (all 0). */
export function inputOf(name: string, ids: readonly number[]): BigInt64Array {
  const array = new BigInt64Array(ids.length);
  if (name === 'input_ids') ids.forEach((id, at) => (array[at] = BigInt(id)));
  else if (name === 'attention_mask') array.fill(1n);
  else if (name !== 'token_type_ids') throw new ArtifactError(`the model reads ${name}, which is not known here`);
  return array;
}
