import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { ArtifactError } from '../engine.js';
import { NATIVE } from './installed.js';
import { floatsOf, type FloatType, type NumbersFile, type OpenSession } from './session.js';

const ERRORS_ONLY = 3;

/** Row-major numbers with a shape. The binding makes its results by this constructor. */
class Tensor<Data> {
  readonly location = 'cpu';
  constructor(
    readonly type: string,
    readonly data: Data,
    readonly dims: readonly number[],
  ) {}
}

/** Runs graphs by onnxruntime-node. @throws when it is not installed, or its package has no binary that loads on this platform */
export function nativeRuntime(): OpenSession {
  const { binding } = createRequire(import.meta.url)(NATIVE) as { readonly binding: Binding };
  return (model, outputs, numbers) => {
    binding.initOrtOnce(ERRORS_ONLY, Tensor, isMainThread);
    // The public `run` is this call, put off to the next turn; engines here work in steps and cannot wait for a promise.
    const session = new binding.InferenceSession();
    try {
      session.loadModel(model.buffer, model.byteOffset, model.byteLength, optionsOf(numbers));
    } catch (error) {
      throw new ArtifactError(`onnxruntime-node cannot load the model: ${(error as Error).message}`);
    }
    const inputs = session.inputMetadata.map(({ name }) => name);
    const fetches = Object.fromEntries(outputs.map((name) => [name, null]));
    return {
      inputs,
      run(feeds) {
        const tensors = Object.entries(feeds).map(
          ([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)] as const,
        );
        const found = session.run(Object.fromEntries(tensors), fetches, {});
        return Object.fromEntries(
          Object.entries(found).map(([name, { type, data, dims }]) => [
            name,
            { data: floatsOf(name, type as FloatType, data), dims },
          ]),
        );
      },
    };
  };
}

/** A single thread: calls run in parallel in their own threads, and sums are always added in the same order. */
const OPTIONS = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  // Patterns would be cached for each length of text.
  enableMemPattern: false,
  logSeverityLevel: 3,
};

/**
 * The file is mapped into memory, where all threads and processes share it. Prepared copies of the weights would make a short text
 * 15% faster, but each session would hold its own.
 */
const optionsOf = (numbers: NumbersFile | undefined): object =>
  numbers
    ? {
        ...OPTIONS,
        extra: {
          session: { model_external_initializers_file_folder_path: numbers.folder, disable_prepacking: '1' },
        },
      }
    : OPTIONS;

/** The native part of onnxruntime-node 1.30, as its `dist/backend.js` calls it. */
interface Binding {
  initOrtOnce(logLevel: number, tensor: typeof Tensor, isMainThread: boolean): void;
  readonly InferenceSession: new () => {
    readonly inputMetadata: readonly { readonly name: string }[];
    loadModel(buffer: ArrayBufferLike, from: number, length: number, options: object): void;
    run(
      feeds: Readonly<Record<string, Tensor<BigInt64Array | Uint8Array | Float32Array>>>,
      fetches: Readonly<Record<string, null>>,
      options: object,
    ): Record<string, Tensor<ArrayBufferView<ArrayBuffer>>>;
  };
}
