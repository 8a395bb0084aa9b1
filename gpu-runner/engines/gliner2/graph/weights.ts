import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { isRecord } from '#primitives/values.js';
import { ArtifactError } from '../../engine.js';

/** Types of numbers that are read: their names in a safetensors file, their bytes and the number that ONNX has for each. */
const TYPES = {
  F32: { bytes: 4, onnx: 1 },
  F16: { bytes: 2, onnx: 10 },
  BF16: { bytes: 2, onnx: 16 },
} as const;
type DType = keyof typeof TYPES;

export const dataTypeOf = (dtype: DType): number => TYPES[dtype].onnx;

/** The reference implementation has the same limit. */
const MAX_HEADER_BYTES = 100_000_000;
const LENGTH_BYTES = 8;
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
    private readonly header: ReadonlyMap<string, unknown>,
    /** Where the numbers begin, and the bytes of the file. */
    private readonly start: number,
    private readonly size: number,
  ) {}

  /** @throws ArtifactError if the file is no safetensors file */
  static open(path: string): Weights {
    const file = basename(path);
    const descriptor = openSync(path, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const read = (length: number, position: number): Buffer => {
        const bytes = Buffer.alloc(length);
        if (readSync(descriptor, bytes, 0, length, position) !== length) throw new ArtifactError(`${file} is cut off`);
        return bytes;
      };
      const length = read(LENGTH_BYTES, 0).readBigUInt64LE();
      if (length > BigInt(Math.min(MAX_HEADER_BYTES, size - LENGTH_BYTES)))
        throw new ArtifactError(`${file} is no safetensors file: its header would have ${length} bytes`);
      const header = headerIn(file, read(Number(length), LENGTH_BYTES));
      return new Weights(file, header, LENGTH_BYTES + Number(length), size);
    } finally {
      closeSync(descriptor);
    }
  }

  /** @throws ArtifactError if there is no such tensor, or it is of another shape or type, or outside the file */
  take(name: string, shape: readonly number[]): Place {
    const refuse = (what: string) => new ArtifactError(`${this.file}: ${name} ${what}`);
    const entry = this.header.get(name);
    if (!isRecord(entry)) throw refuse('is missing, which config.json asks for');
    const { dtype, shape: found, data_offsets: offsets } = entry;
    if (!isDType(dtype)) throw refuse(`must be of ${Object.keys(TYPES).join(', ')} (got ${JSON.stringify(dtype)})`);
    if (!isCounts(found) || found.length !== shape.length || found.some((size, axis) => size !== shape[axis]))
      throw refuse(`must be of the shape ${shape.join(' x ')}, by config.json (got ${shown(found)})`);
    const bytes = shape.reduce((product, size) => product * size, TYPES[dtype].bytes);
    if (!isCounts(offsets) || offsets.length !== 2 || offsets[1]! - offsets[0]! !== bytes)
      throw refuse(`must have ${bytes} bytes (its offsets are ${shown(offsets)})`);
    if (this.start + offsets[1]! > this.size) throw refuse('reaches past the end of the file');
    this.taken.add(name);
    return { dtype, offset: this.start + offsets[0]!, bytes };
  }

  /** The first size of a tensor that has `axes` axes. @throws ArtifactError */
  sizeOf(name: string, axes: number): number {
    const entry = this.header.get(name);
    const shape = isRecord(entry) ? entry['shape'] : undefined;
    if (!isCounts(shape) || shape.length !== axes) throw new ArtifactError(`${this.file}: ${name} is missing`);
    return shape[0]!;
  }

  /** @throws ArtifactError if a tensor was not taken: the model is another one than its configuration says */
  requireAllTaken(): void {
    for (const name of this.header.keys())
      if (name !== '__metadata__' && !this.taken.has(name) && !UNUSED.test(name))
        throw new ArtifactError(
          `${this.file}: ${name.slice(0, 200)} is not part of the model that config.json describes`,
        );
  }
}

function headerIn(file: string, bytes: Buffer): ReadonlyMap<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(bytes.toString('utf8'));
  } catch {
    header = null;
  }
  if (!isRecord(header)) throw new ArtifactError(`${file} is no safetensors file: its header is no JSON object`);
  return new Map(Object.entries(header));
}

const isDType = (value: unknown): value is DType => typeof value === 'string' && Object.hasOwn(TYPES, value);

const isCounts = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((entry) => Number.isSafeInteger(entry) && (entry as number) >= 0);

const shown = (value: unknown): string => (isCounts(value) ? value.slice(0, 8).join(' x ') : 'no list of sizes');
