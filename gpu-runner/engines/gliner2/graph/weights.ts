import { basename } from 'node:path';
import { SafetensorsError, safetensorsHeaderOf, type StoredTensor } from '#models/safetensors/header.js';
import { ArtifactError } from '../../engine.js';

/** Types of numbers that are read: their names in a safetensors file, their bytes and the number that ONNX has for each. */
const TYPES = {
  F32: { bytes: 4, onnx: 1 },
  F16: { bytes: 2, onnx: 10 },
  BF16: { bytes: 2, onnx: 16 },
} as const;
type DType = keyof typeof TYPES;

export const dataTypeOf = (dtype: DType): number => TYPES[dtype].onnx;

/** Tables of positions from 0 on, which older versions of transformers wrote. */
const UNUSED = /\.position_ids$/;

/** Where the numbers of a tensor are in the file. */
export interface Place {
  readonly dtype: DType;
  /** From the beginning of the file. */
  readonly offset: number;
  readonly bytes: number;
}

/**
 * The tensors of a safetensors file (https://huggingface.co/docs/safetensors), by their header alone: their numbers are read by
 * onnxruntime, which is told nothing but places within the file.
 */
export class Weights {
  private readonly taken = new Set<string>();

  private constructor(
    /** Name of the file. */
    readonly file: string,
    private readonly tensors: ReadonlyMap<string, StoredTensor>,
  ) {}

  /** @throws ArtifactError if the file is no safetensors file */
  static open(path: string): Weights {
    const file = basename(path);
    try {
      return new Weights(file, safetensorsHeaderOf(path).tensors);
    } catch (error) {
      throw error instanceof SafetensorsError
        ? new ArtifactError(`${file} is no safetensors file: ${error.message}`)
        : error;
    }
  }

  /** @throws ArtifactError if there is no such tensor, or it is of another shape or type */
  take(name: string, shape: readonly number[]): Place {
    const refuse = (what: string) => new ArtifactError(`${this.file}: ${name} ${what}`);
    const tensor = this.tensors.get(name);
    if (!tensor) throw refuse('is missing, which config.json asks for');
    const { dtype, shape: found, begin, end } = tensor;
    if (!isDType(dtype)) throw refuse(`must be of ${Object.keys(TYPES).join(', ')} (got ${JSON.stringify(dtype)})`);
    if (found.length !== shape.length || found.some((size, axis) => size !== shape[axis]))
      throw refuse(`must be of the shape ${shape.join(' x ')}, by config.json (got ${found.slice(0, 8).join(' x ')})`);
    this.taken.add(name);
    return { dtype, offset: begin, bytes: end - begin };
  }

  /** The first size of a tensor that has `axes` axes. @throws ArtifactError */
  sizeOf(name: string, axes: number): number {
    const shape = this.tensors.get(name)?.shape;
    if (shape?.length !== axes) throw new ArtifactError(`${this.file}: ${name} is missing`);
    return shape[0]!;
  }

  /** @throws ArtifactError if a tensor was not taken: the model is another one than its configuration says */
  requireAllTaken(): void {
    for (const name of this.tensors.keys())
      if (!this.taken.has(name) && !UNUSED.test(name))
        throw new ArtifactError(
          `${this.file}: ${name.slice(0, 200)} is not part of the model that config.json describes`,
        );
  }
}

const isDType = (value: string): value is DType => Object.hasOwn(TYPES, value);
