import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ArtifactError } from '../engine.js';
import { WASM } from './installed.js';
import {
  FLOAT_BYTES,
  floatsOf,
  type Feed,
  type FloatType,
  type GraphSession,
  type NumbersFile,
  type OpenSession,
  type Output,
} from './session.js';

/** Numbers that the C interface of onnxruntime has for its choices. */
const FLOATS: Readonly<Record<number, FloatType>> = { 1: 'float32', 10: 'float16' };
const TYPES = { float32: 1, int64: 7, bool: 9 } as const;
const IN_MEMORY = 1;
const ALL_OPTIMIZATIONS = 99;
const SEQUENTIAL = 0;
const ERRORS_ONLY = 3;

/**
 * Runs graphs by onnxruntime compiled to WebAssembly, wherever Node runs. Only the start takes a promise: the public `run` of
 * onnxruntime-web is asynchronous, but the call that it makes in WebAssembly returns with the result.
 * @throws when onnxruntime-web is not installed
 */
export async function wasmRuntime(): Promise<OpenSession> {
  const require = createRequire(import.meta.url);
  const wasmBinary = readFileSync(require.resolve(WASM.code));
  const { default: start } = (await import(pathToFileURL(require.resolve(WASM.glue)).href)) as { default: StartWasm };
  const wasm = await start({ numThreads: 1, wasmBinary, locateFile: (file) => file });
  if (wasm._OrtInit(1, ERRORS_ONLY) !== 0) throw new ArtifactError(`onnxruntime-web cannot start: ${lastError(wasm)}`);
  return (model, outputs, numbers) => new WasmSession(wasm, model, outputs, numbers);
}

class WasmSession implements GraphSession {
  readonly inputs: readonly string[];
  private readonly handle: number;
  private readonly names: readonly Name[];
  private readonly outputs: readonly Name[];

  /** @throws ArtifactError */
  constructor(
    private readonly wasm: Wasm,
    model: Uint8Array,
    outputs: readonly string[],
    numbers: NumbersFile | undefined,
  ) {
    if (numbers) wasm.mountExternalData(numbers.name, readFileSync(join(numbers.folder, numbers.name)));
    try {
      this.handle = sessionOf(wasm, model);
    } finally {
      if (numbers) wasm.unmountExternalData();
    }
    this.outputs = outputs.map((name) => ({ name, at: textAt(wasm, name) }));
    this.names = inputNames(wasm, this.handle);
    this.inputs = this.names.map(({ name }) => name);
  }

  run(feeds: Readonly<Record<string, Feed>>): Record<string, Output> {
    const { wasm, names, outputs } = this;
    const stack = wasm.stackSave();
    const inputs = names.filter(({ name }) => Object.hasOwn(feeds, name));
    const tensors = inputs.map(({ name }) => tensorOf(wasm, feeds[name]!));
    try {
      const found = pointers(
        wasm,
        outputs.map(() => 0),
      );
      const code = wasm._OrtRun(
        this.handle,
        pointers(
          wasm,
          inputs.map(({ at }) => at),
        ),
        pointers(
          wasm,
          tensors.map(({ tensor }) => tensor),
        ),
        inputs.length,
        pointers(
          wasm,
          outputs.map(({ at }) => at),
        ),
        outputs.length,
        found,
        0,
      );
      if (code !== 0) throw new Error(`onnxruntime-web cannot run the model: ${lastError(wasm)}`);
      return Object.fromEntries(
        outputs.map(({ name }, index) => [name, taken(wasm, name, wasm.getValue(found + index * wasm.PTR_SIZE, '*'))]),
      );
    } finally {
      for (const { tensor, data } of tensors) {
        wasm._OrtReleaseTensor(tensor);
        wasm._free(data);
      }
      wasm.stackRestore(stack);
    }
  }
}

/** A name of the graph, and its place in memory. */
interface Name {
  readonly name: string;
  readonly at: number;
}

function sessionOf(wasm: Wasm, model: Uint8Array): number {
  const none = textAt(wasm, '');
  const options = wasm._OrtCreateSessionOptions(ALL_OPTIMIZATIONS, 1, 0, SEQUENTIAL, 0, 0, none, ERRORS_ONLY, 0, none);
  const bytes = wasm._malloc(model.byteLength);
  try {
    if (bytes === 0) throw new ArtifactError('onnxruntime-web has no memory for the model');
    wasm.HEAPU8.set(model, bytes);
    const session = wasm._OrtCreateSession(bytes, model.byteLength, options);
    if (session === 0) throw new ArtifactError(`onnxruntime-web cannot load the model: ${lastError(wasm)}`);
    return session;
  } finally {
    wasm._OrtReleaseSessionOptions(options);
    wasm._free(bytes);
    wasm._free(none);
  }
}

function inputNames(wasm: Wasm, session: number): Name[] {
  const stack = wasm.stackSave();
  const counts = pointers(wasm, [0, 0]);
  wasm._OrtGetInputOutputCount(session, counts, counts + wasm.PTR_SIZE);
  const names = Array.from({ length: wasm.getValue(counts, '*') }, (_, index): Name => {
    const found = pointers(wasm, [0, 0]);
    if (wasm._OrtGetInputOutputMetadata(session, index, found, found + wasm.PTR_SIZE) !== 0)
      throw new ArtifactError(`onnxruntime-web cannot read the model: ${lastError(wasm)}`);
    const at = wasm.getValue(found, '*');
    return { name: wasm.UTF8ToString(at), at };
  });
  wasm.stackRestore(stack);
  return names;
}

/** Numbers as a tensor; both are to be freed. */
function tensorOf(wasm: Wasm, { type, data: numbers, dims }: Feed): { readonly tensor: number; readonly data: number } {
  const data = wasm._malloc(numbers.byteLength);
  wasm.HEAPU8.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), data);
  const shape = pointers(wasm, dims);
  const tensor = wasm._OrtCreateTensor(TYPES[type], data, numbers.byteLength, shape, dims.length, IN_MEMORY);
  return { data, tensor };
}

/** A copy of a tensor. Releases the tensor. @throws ArtifactError if it is not of floats */
function taken(wasm: Wasm, name: string, tensor: number): Output {
  const size = wasm.PTR_SIZE;
  const [type, data, shape, rank] = [0, 1, 2, 3].map((index) => index * size) as [number, number, number, number];
  const at = pointers(wasm, [0, 0, 0, 0]);
  try {
    if (wasm._OrtGetTensorData(tensor, at + type, at + data, at + shape, at + rank) !== 0)
      throw new Error(`onnxruntime-web cannot read a result: ${lastError(wasm)}`);
    const sizes = wasm.getValue(at + shape, '*');
    const axes = wasm.getValue(at + rank, '*');
    const dims = Array.from({ length: axes }, (_, axis) => wasm.getValue(sizes + axis * size, '*'));
    wasm._OrtFree(sizes);
    const kind = FLOATS[wasm.getValue(at + type, '*')] ?? null;
    const from = wasm.getValue(at + data, '*');
    const bytes = dims.reduce((product, axis) => product * axis, kind ? FLOAT_BYTES[kind] : 0);
    return { data: floatsOf(name, kind, wasm.HEAPU8.slice(from, from + bytes)), dims };
  } finally {
    wasm._OrtReleaseTensor(tensor);
  }
}

/**
 * Puts pointer-sized numbers on the stack.
 * @returns their start
 */
function pointers(wasm: Wasm, values: readonly number[]): number {
  const at = wasm.stackAlloc(values.length * wasm.PTR_SIZE);
  values.forEach((value, index) => wasm.setValue(at + index * wasm.PTR_SIZE, value, '*'));
  return at;
}

function textAt(wasm: Wasm, text: string): number {
  const length = wasm.lengthBytesUTF8(text) + 1;
  const at = wasm._malloc(length);
  wasm.stringToUTF8(text, at, length);
  return at;
}

function lastError(wasm: Wasm): string {
  const stack = wasm.stackSave();
  const at = pointers(wasm, [0, 0]);
  wasm._OrtGetLastError(at, at + wasm.PTR_SIZE);
  const message = wasm.UTF8ToString(wasm.getValue(at + wasm.PTR_SIZE, '*'));
  wasm.stackRestore(stack);
  return message;
}

type StartWasm = (options: {
  readonly numThreads: number;
  readonly wasmBinary: Uint8Array;
  readonly locateFile: (file: string) => string;
}) => Promise<Wasm>;

/** The part of onnxruntime-web 1.30 that its `lib/wasm/wasm-core-impl.ts` calls. Functions return 0 for success, or a handle. */
interface Wasm {
  readonly PTR_SIZE: number;
  readonly HEAPU8: Uint8Array;
  stackSave(): number;
  stackAlloc(bytes: number): number;
  stackRestore(stack: number): void;
  getValue(at: number, type: '*'): number;
  setValue(at: number, value: number, type: '*'): void;
  UTF8ToString(at: number): string;
  lengthBytesUTF8(text: string): number;
  /** Makes a file known, until the other call, to models that are loaded. */
  mountExternalData(path: string, data: Uint8Array): void;
  unmountExternalData(): void;
  stringToUTF8(text: string, at: number, bytes: number): void;
  _malloc(bytes: number): number;
  _free(at: number): void;
  _OrtInit(threads: number, logLevel: number): number;
  _OrtGetLastError(code: number, message: number): number;
  _OrtCreateSessionOptions(
    optimizations: number,
    arena: number,
    patterns: number,
    mode: number,
    profiling: number,
    profileFile: number,
    logId: number,
    logLevel: number,
    verbosity: number,
    optimizedFile: number,
  ): number;
  _OrtReleaseSessionOptions(options: number): number;
  _OrtCreateSession(model: number, bytes: number, options: number): number;
  _OrtGetInputOutputCount(session: number, inputs: number, outputs: number): number;
  _OrtGetInputOutputMetadata(session: number, index: number, name: number, metadata: number): number;
  _OrtCreateTensor(type: number, data: number, bytes: number, shape: number, rank: number, location: number): number;
  _OrtGetTensorData(tensor: number, type: number, data: number, shape: number, rank: number): number;
  _OrtReleaseTensor(tensor: number): number;
  _OrtFree(at: number): number;
  _OrtRun(
    session: number,
    inputNames: number,
    inputs: number,
    inputCount: number,
    outputNames: number,
    outputCount: number,
    outputs: number,
    options: number,
  ): number;
}
