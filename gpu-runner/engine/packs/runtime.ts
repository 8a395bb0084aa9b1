import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { ArtifactError } from '../engine.js';

/**
 * The two optional packages that run packs, which are not here after `npm ci --omit=optional`. Their types are declared here, so
 * that the project compiles without them.
 */
const RUNTIME = 'onnxruntime-node';
const TOKENIZERS = '@huggingface/tokenizers';
const ERRORS_ONLY = 3;
const require = createRequire(import.meta.url);

/** The package that packs need and that is not installed, or has no binary for this platform; null when both are here. */
export function missingRuntime(): string | null {
  for (const name of [`${RUNTIME}/dist/binding.js`, TOKENIZERS])
    try {
      require.resolve(name);
    } catch {
      return name === TOKENIZERS ? TOKENIZERS : RUNTIME;
    }
  return null;
}

/** A graph that is ready to run. */
export interface Session {
  /** At once, in the calling thread. @returns the outputs by name */
  run(ids: readonly number[]): Readonly<Record<string, Tensor>>;
}

/** Row-major numbers with a shape. The binding makes its results by this constructor. */
export class Tensor<Data = Float32Array> {
  readonly location = 'cpu';
  constructor(
    readonly type: 'float32' | 'int64',
    readonly data: Data,
    readonly dims: readonly number[],
  ) {}
}

export interface Tokenizer {
  encode(text: string, options?: { readonly add_special_tokens?: boolean }): { readonly ids: readonly number[] };
}

/** @throws ArtifactError when a package is missing or does not load the model */
export function openSession(model: Uint8Array, outputs: readonly string[]): Session {
  const { binding } = load<{ readonly binding: Binding }>(`${RUNTIME}/dist/binding.js`);
  binding.initOrtOnce(ERRORS_ONLY, Tensor, isMainThread);
  // The public `run` is this call, put off to the next turn; engines here work in steps and cannot wait for a promise.
  const session = new binding.InferenceSession();
  try {
    session.loadModel(model.buffer, model.byteOffset, model.byteLength, OPTIONS);
  } catch (error) {
    throw new ArtifactError(`${RUNTIME} cannot load the model: ${(error as Error).message}`);
  }
  const names = session.inputMetadata.map(({ name }) => name);
  const fetches = Object.fromEntries(outputs.map((name) => [name, null]));
  return {
    run(ids) {
      const dims = [1, ids.length];
      const feeds = Object.fromEntries(
        names.map((name) => [name, new Tensor('int64', inputOf(name, ids), dims)] as const),
      );
      return session.run(feeds, fetches, {});
    },
  };
}

/** @throws ArtifactError when the package is missing */
export function openTokenizer(json: string): Tokenizer {
  const { Tokenizer: Opened } = load<{ readonly Tokenizer: NewTokenizer }>(TOKENIZERS);
  return new Opened(JSON.parse(json) as object, {});
}

/** What encoders of the BERT family read: ids of tokens, which of them count (all), and which of two texts they are of (the first). */
function inputOf(name: string, ids: readonly number[]): BigInt64Array {
  const array = new BigInt64Array(ids.length);
  if (name === 'input_ids') ids.forEach((id, at) => (array[at] = BigInt(id)));
  else if (name === 'attention_mask') array.fill(1n);
  else if (name !== 'token_type_ids') throw new ArtifactError(`the model reads ${name}, which is not known here`);
  return array;
}

/** One thread: calls run side by side in threads of their own, and the same sums come out in the same order. */
const OPTIONS = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  // Patterns would be kept for each length of text.
  enableMemPattern: false,
  logSeverityLevel: 3,
};

function load<Module>(name: string): Module {
  try {
    return require(name) as Module;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'MODULE_NOT_FOUND' ? 'is not installed: run npm ci' : `does not load: ${String(error)}`;
    throw new ArtifactError(`${name.split('/dist/')[0]} ${why}`);
  }
}

type NewTokenizer = new (json: object, config: object) => Tokenizer;

/** The native part of onnxruntime-node 1.30, as its `dist/backend.js` calls it. */
interface Binding {
  initOrtOnce(logLevel: number, tensor: typeof Tensor, isMainThread: boolean): void;
  readonly InferenceSession: new () => {
    readonly inputMetadata: readonly { readonly name: string }[];
    loadModel(buffer: ArrayBufferLike, from: number, length: number, options: object): void;
    run(
      feeds: Readonly<Record<string, Tensor<BigInt64Array>>>,
      fetches: Readonly<Record<string, null>>,
      options: object,
    ): Record<string, Tensor>;
  };
}
