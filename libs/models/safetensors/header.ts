import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isRecord } from '#primitives/values.js';

/**
 * The header of a safetensors file (https://huggingface.co/docs/safetensors, format section): 8 bytes of little-endian header
 * length N, N bytes of JSON that map a name to `{dtype, shape, data_offsets}`, then the numbers, row-major and little-endian,
 * without holes. Nothing in it is executed, so an untrusted file can at worst be refused.
 */
export interface SafetensorsHeader {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface StoredTensor {
  /** `F32` and so on: a key of `BITS`. */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** From the beginning of the file, in bytes. */
  readonly begin: number;
  /** Exclusive. */
  readonly end: number;
}

/** The bytes are not exactly a safetensors file. The message says why, without the name of the file. */
export class SafetensorsError extends Error {
  override readonly name = 'SafetensorsError';
}

/** Above this the header itself is an attack on memory. The reference implementation has the same limit. */
const MAX_HEADER_BYTES = 100_000_000;
const LENGTH_BYTES = 8;

/** Bits of a number, by the types of the reference implementation (safetensors/src/tensor.rs, 0.6). */
const BITS: Readonly<Record<string, number>> = {
  ...{ F4: 4, F6_E2M3: 6, F6_E3M2: 6, BOOL: 8, U8: 8, I8: 8, F8_E5M2: 8, F8_E4M3: 8, F8_E8M0: 8 },
  ...{ I16: 16, U16: 16, F16: 16, BF16: 16, I32: 32, U32: 32, F32: 32, F64: 64, I64: 64, U64: 64, C64: 64 },
};

/**
 * Every byte after the header belongs to exactly one tensor, and each tensor has the bytes that its type and shape need.
 * @param size bytes of the file
 * @param read exactly so many bytes of it
 * @throws SafetensorsError
 */
export function readSafetensorsHeader(
  size: number,
  read: (begin: number, length: number) => Uint8Array,
): SafetensorsHeader {
  if (size < LENGTH_BYTES) throw new SafetensorsError('it is cut off: it has no length of a header');
  const bytes = read(0, LENGTH_BYTES);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (length > BigInt(Math.min(MAX_HEADER_BYTES, size - LENGTH_BYTES)))
    throw new SafetensorsError(`its header would have ${length} bytes`);
  const dataStart = LENGTH_BYTES + Number(length);
  const { __metadata__: metadata = {}, ...described } = parsed(read(LENGTH_BYTES, Number(length)));
  const tensors = Object.entries(described).map(
    ([name, value]) => [name, placed(name, value, dataStart, size)] as const,
  );
  requireNoHoles(tensors, dataStart, size);
  return { tensors: new Map(tensors), metadata: texts(metadata) };
}

/** The header of a file. @throws SafetensorsError; the file system's errors */
export function safetensorsHeaderOf(path: string): SafetensorsHeader {
  const file = openSync(path, 'r');
  try {
    return readSafetensorsHeader(fstatSync(file).size, (begin, length) => {
      const bytes = Buffer.alloc(length);
      if (readSync(file, bytes, 0, length, begin) !== length) throw new SafetensorsError('it is cut off');
      return bytes;
    });
  } finally {
    closeSync(file);
  }
}

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  let header: unknown;
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    header = JSON.parse(text);
  } catch {
    throw new SafetensorsError('its header is not JSON');
  }
  if (!isRecord(header)) throw new SafetensorsError('its header is no JSON object');
  // JSON.parse keeps the last of several; other readers may keep the first.
  if (ownNames(text) !== Object.keys(header).length) throw new SafetensorsError('its header has a name twice');
  return header;
}

/** The number of names in the outermost object of a valid JSON text. */
function ownNames(json: string): number {
  let [depth, names] = [0, 0];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === ':' && depth === 1) names += 1;
  }
  return names;
}

function placed(name: string, value: unknown, dataStart: number, size: number): StoredTensor {
  const refuse = (what: string) => new SafetensorsError(`tensor ${quoted(name)} ${what}`);
  if (!isRecord(value)) throw refuse('has no description');
  const { dtype, shape, data_offsets: offsets } = value;
  const bits = typeof dtype === 'string' && Object.hasOwn(BITS, dtype) ? BITS[dtype] : undefined;
  if (bits === undefined) throw refuse(`has the unknown number type ${quoted(String(dtype))}`);
  if (!isCounts(shape)) throw refuse('has no valid shape');
  if (!isCounts(offsets) || offsets.length !== 2) throw refuse('has no valid offsets');
  const [begin, end] = [dataStart + offsets[0]!, dataStart + offsets[1]!];
  if (begin > end || end > size) throw refuse('reaches past the end of the file');
  // A product past 2^53 loses precision, but only upwards of any file's size, so a wrong shape can never look right.
  const needed = shape.reduce((product, axis) => product * axis, bits) / 8;
  if (needed !== end - begin) throw refuse(`has ${end - begin} bytes, where its shape needs ${needed}`);
  return { dtype: dtype as string, shape, begin, end };
}

function requireNoHoles(tensors: readonly (readonly [string, StoredTensor])[], dataStart: number, size: number): void {
  let covered = dataStart;
  for (const [name, { begin, end }] of tensors.toSorted(([, a], [, b]) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== covered) throw new SafetensorsError(`tensor ${quoted(name)} leaves a hole or overlaps another`);
    covered = end;
  }
  if (covered !== size) throw new SafetensorsError(`${size - covered} bytes at its end belong to no tensor`);
}

function texts(metadata: unknown): Readonly<Record<string, string>> {
  if (isRecord(metadata) && Object.values(metadata).every((entry) => typeof entry === 'string'))
    return metadata as Record<string, string>;
  throw new SafetensorsError('its metadata is not a map of texts');
}

const isCounts = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((entry) => Number.isSafeInteger(entry) && (entry as number) >= 0);

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
