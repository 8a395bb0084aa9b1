import { endianness } from 'node:os';
import { ArtifactError } from '../../engine.js';
import type { Tensor, TensorData } from '../head.js';
import { isRecord } from '#primitives/values.js';

/**
 * The safetensors file format (https://huggingface.co/docs/safetensors, format section): 8 bytes of little-endian header
 * length N, N bytes of JSON that map a name to `{dtype, shape, data_offsets}`, then the numbers, row-major and little-endian,
 * without holes. Nothing in it is executed, so an untrusted file can at worst be refused.
 */

type Tensors = Readonly<Record<string, Tensor>>;

/** Above this the header itself is an attack on memory. The reference implementation has the same limit. */
const MAX_HEADER_BYTES = 100_000_000;
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
  const { header, dataStart } = readHeader(buffer);
  const dataBytes = buffer.byteLength - dataStart;
  const tensors: [string, Tensor][] = [];
  const ranges: { name: string; begin: number; end: number }[] = [];
  let metadata: Readonly<Record<string, string>> = {};
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') {
      metadata = checkMetadata(value);
      continue;
    }
    const { type, shape, begin, end } = checkEntry(name, value, dataBytes);
    const count = elementCount(shape);
    const start = dataStart + begin;
    const data =
      start % type.bytes === 0
        ? type.view(buffer, start, count)
        : type.view(new Uint8Array(buffer, start, end - begin).slice().buffer, 0, count);
    tensors.push([name, { shape, data }]);
    ranges.push({ name, begin, end });
  }
  assertNoHoles(ranges, dataBytes);
  return { tensors: Object.fromEntries(tensors), metadata };
}

function readHeader(buffer: ArrayBufferLike): { header: Record<string, unknown>; dataStart: number } {
  if (buffer.byteLength < LENGTH_BYTES) throw damaged('it is shorter than its length field');
  const length = new DataView(buffer).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER_BYTES)) throw damaged(`its header claims ${length} bytes`);
  const dataStart = LENGTH_BYTES + Number(length);
  if (dataStart > buffer.byteLength) throw damaged('its header reaches past the end of the file');
  // A copy, since TextDecoder refuses shared memory.
  const bytes = new Uint8Array(buffer, LENGTH_BYTES, Number(length)).slice();
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw damaged('its header is not JSON');
  }
  if (!isRecord(header)) throw damaged('its header is not a JSON object');
  return { header, dataStart };
}

function checkEntry(name: string, value: unknown, dataBytes: number) {
  if (!isRecord(value)) throw damaged(`tensor ${quote(name)} has no description`);
  const { dtype, shape, data_offsets: offsets } = value;
  const type = typeof dtype === 'string' ? NUMBER_TYPES.get(dtype) : undefined;
  if (type === undefined) throw damaged(`tensor ${quote(name)} has the unknown number type ${quote(String(dtype))}`);
  if (!isCounts(shape)) throw damaged(`tensor ${quote(name)} has no valid shape`);
  if (!isCounts(offsets) || offsets.length !== 2) throw damaged(`tensor ${quote(name)} has no valid offsets`);
  const [begin = 0, end = 0] = offsets;
  if (begin > end || end > dataBytes) throw damaged(`tensor ${quote(name)} reaches outside the file`);
  if (elementCount(shape) * type.bytes !== end - begin)
    throw damaged(`tensor ${quote(name)} has ${end - begin} bytes, which is not what its shape needs`);
  return { type, shape, begin, end };
}

/** Every byte belongs to exactly one tensor: nothing is hidden between them and no two share memory. */
function assertNoHoles(ranges: { name: string; begin: number; end: number }[], dataBytes: number): void {
  ranges.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let covered = 0;
  for (const { name, begin, end } of ranges) {
    if (begin !== covered) throw damaged(`tensor ${quote(name)} leaves a hole or overlaps another`);
    covered = end;
  }
  if (covered !== dataBytes) throw damaged(`${dataBytes - covered} bytes at its end belong to no tensor`);
}

function checkMetadata(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value) || !Object.values(value).every((entry) => typeof entry === 'string'))
    throw damaged('its metadata is not a map of texts');
  return value as Record<string, string>;
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

/** A product past 2^53 loses precision, but only upwards of any file's size, so a wrong shape can never look right. */
function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((entry) => Number.isSafeInteger(entry) && (entry as number) >= 0);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

function damaged(what: string): ArtifactError {
  return new ArtifactError(`The safetensors file is damaged: ${what}.`);
}

function assertLittleEndian(): void {
  if (endianness() !== 'LE') throw new ArtifactError('The built-in engine runs on little-endian machines only.');
}
