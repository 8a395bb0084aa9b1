import { endianness } from 'node:os';
import { ArtifactError } from '../../engine.js';
import type { Tensor, TensorData } from '../head.js';
import { readSafetensorsHeader, SafetensorsError, type SafetensorsHeader } from '#models/safetensors/header.js';

type Tensors = Readonly<Record<string, Tensor>>;

const LENGTH_BYTES = 8;
/** The header is padded with spaces to this, and wide numbers come first, so that every tensor can be viewed in place. */
const ALIGNMENT = 8;

interface NumberType {
  readonly bytes: number;
  readonly view: (buffer: ArrayBufferLike, offset: number, length: number) => TensorData;
}

const NUMBER_TYPES: ReadonlyMap<string, NumberType> = new Map([
  ['F64', { bytes: 8, view: (buffer, offset, length) => new Float64Array(buffer, offset, length) }],
  ['U64', { bytes: 8, view: (buffer, offset, length) => new BigUint64Array(buffer, offset, length) }],
  ['F32', { bytes: 4, view: (buffer, offset, length) => new Float32Array(buffer, offset, length) }],
  ['I32', { bytes: 4, view: (buffer, offset, length) => new Int32Array(buffer, offset, length) }],
  ['U32', { bytes: 4, view: (buffer, offset, length) => new Uint32Array(buffer, offset, length) }],
  ['I8', { bytes: 1, view: (buffer, offset, length) => new Int8Array(buffer, offset, length) }],
  ['U8', { bytes: 1, view: (buffer, offset, length) => new Uint8Array(buffer, offset, length) }],
] satisfies [string, NumberType][]);

/**
 * The same tensors always give the same bytes: they are laid out by descending number width, then by name.
 * @throws RangeError when a shape does not match its data, or a name is reserved
 */
export function encodeSafetensors(
  tensors: Tensors,
  metadata?: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  assertLittleEndian();
  const entries = Object.entries(tensors)
    .map(([name, tensor]) => ({ name, tensor, dtype: numberTypeOf(tensor.data) }))
    .sort((a, b) => b.tensor.data.BYTES_PER_ELEMENT - a.tensor.data.BYTES_PER_ELEMENT || compare(a.name, b.name));

  const described: [string, unknown][] = metadata === undefined ? [] : [['__metadata__', metadata]];
  let end = 0;
  for (const { name, tensor, dtype } of entries) {
    if (name === '__metadata__') throw new RangeError('A tensor cannot be named __metadata__.');
    if (elementCount(tensor.shape) !== tensor.data.length)
      throw new RangeError(
        `Tensor ${name}: shape [${tensor.shape.join(', ')}] does not hold ${tensor.data.length} numbers.`,
      );
    const begin = end;
    end += tensor.data.byteLength;
    described.push([name, { dtype, shape: tensor.shape, data_offsets: [begin, end] }]);
  }

  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(described)));
  const headerBytes = Math.ceil(json.length / ALIGNMENT) * ALIGNMENT;
  const bytes = new Uint8Array(LENGTH_BYTES + headerBytes + end);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes), true);
  bytes.fill(0x20, LENGTH_BYTES, LENGTH_BYTES + headerBytes);
  bytes.set(json, LENGTH_BYTES);
  let offset = LENGTH_BYTES + headerBytes;
  for (const { tensor } of entries) {
    bytes.set(new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength), offset);
    offset += tensor.data.byteLength;
  }
  return bytes;
}

/**
 * @param buffer the whole file. The tensors returned are views on it (copies only where a foreign writer left them unaligned),
 *   so that a SharedArrayBuffer serves many threads at once.
 * @throws ArtifactError when the bytes are not exactly a safetensors file of number types that this engine uses
 */
export function decodeSafetensors(buffer: ArrayBufferLike): {
  tensors: Tensors;
  metadata: Readonly<Record<string, string>>;
} {
  assertLittleEndian();
  const { tensors, metadata } = headerIn(buffer);
  const views = [...tensors].map(([name, { dtype, shape, begin, end }]): [string, Tensor] => {
    const type = NUMBER_TYPES.get(dtype);
    if (type === undefined) throw damaged(`tensor ${JSON.stringify(name)} has numbers of the type ${dtype}`);
    const count = elementCount(shape);
    const data =
      begin % type.bytes === 0
        ? type.view(buffer, begin, count)
        : type.view(new Uint8Array(buffer, begin, end - begin).slice().buffer, 0, count);
    return [name, { shape, data }];
  });
  return { tensors: Object.fromEntries(views), metadata };
}

function headerIn(buffer: ArrayBufferLike): SafetensorsHeader {
  try {
    // A copy, since TextDecoder refuses shared memory.
    return readSafetensorsHeader(buffer.byteLength, (begin, length) => new Uint8Array(buffer, begin, length).slice());
  } catch (error) {
    throw error instanceof SafetensorsError ? damaged(error.message) : error;
  }
}

function numberTypeOf(data: TensorData): string {
  if (data instanceof Float64Array) return 'F64';
  if (data instanceof BigUint64Array) return 'U64';
  if (data instanceof Float32Array) return 'F32';
  if (data instanceof Int32Array) return 'I32';
  if (data instanceof Uint32Array) return 'U32';
  if (data instanceof Int8Array) return 'I8';
  return 'U8';
}

function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function damaged(what: string): ArtifactError {
  return new ArtifactError(`The safetensors file is damaged: ${what}.`);
}

function assertLittleEndian(): void {
  if (endianness() !== 'LE') throw new ArtifactError('The built-in engine runs on little-endian machines only.');
}
