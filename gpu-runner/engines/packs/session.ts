import { ArtifactError } from '../engine.js';

/** Numbers of a tensor, row-major, with its shape. A truth value is a byte. */
export type Feed =
  | { readonly type: 'int64'; readonly data: BigInt64Array; readonly dims: readonly number[] }
  | { readonly type: 'bool'; readonly data: Uint8Array; readonly dims: readonly number[] }
  | { readonly type: 'float32'; readonly data: Float32Array; readonly dims: readonly number[] };

export interface Output {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** A graph that is ready to run. */
export interface GraphSession {
  /** Names of its inputs. */
  readonly inputs: readonly string[];
  /**
   * Runs at once, in the calling thread.
   * @param feeds one for each input, by name
   * @returns the outputs by name
   * @throws ArtifactError for an output that holds no floats; Error when the graph cannot run on these
   */
  run(feeds: Readonly<Record<string, Feed>>): Readonly<Record<string, Output>>;
}

/**
 * @param numbers the file in which the model's numbers are; absent: all are in the model
 * @throws ArtifactError when the model does not load
 */
export type OpenSession = (model: Uint8Array, outputs: readonly string[], numbers?: NumbersFile) => GraphSession;

/** A file that a graph made here refers to: no graph of a user's may name any. */
export interface NumbersFile {
  readonly folder: string;
  readonly name: string;
}

/**
 * Inputs of encoders of the BERT family: token ids, attention mask (all 1), segment ids (all 0).
 * @param ids of the tokens of one text, or of `texts` texts of equal length, one after the other
 * @throws ArtifactError for another input
 */
export function textFeeds(
  { inputs }: Pick<GraphSession, 'inputs'>,
  ids: readonly number[],
  texts = 1,
): Record<string, Feed> {
  const dims = [texts, ids.length / texts];
  return Object.fromEntries(inputs.map((name) => [name, { type: 'int64', data: inputOf(name, ids), dims }]));
}

export const int64 = (numbers: readonly number[]): BigInt64Array => BigInt64Array.from(numbers, BigInt);

function inputOf(name: string, ids: readonly number[]): BigInt64Array {
  if (name === 'input_ids') return int64(ids);
  const array = new BigInt64Array(ids.length);
  if (name === 'attention_mask') array.fill(1n);
  else if (name !== 'token_type_ids') throw new ArtifactError(`the model reads ${name}, which is not known here`);
  return array;
}

/**
 * The numbers of an output as 32-bit floats.
 * @param type null: another type
 * @throws ArtifactError for another type
 */
export function floatsOf(
  name: string,
  type: FloatType | null,
  { buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>,
): Float32Array {
  if (type === 'float32') return new Float32Array(buffer, byteOffset, byteLength / 4);
  if (type === 'float16') return Float32Array.from(new Float16Array(buffer, byteOffset, byteLength / 2));
  throw new ArtifactError(`the model's ${name} is not of floats of 16 or 32 bits`);
}

export const FLOAT_BYTES = { float32: 4, float16: 2 } as const;
export type FloatType = keyof typeof FLOAT_BYTES;
