/** The wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding), as far as ONNX models use it. */

const VARINT = 0;
const EIGHT_BYTES = 1;
const DELIMITED = 2;
const FOUR_BYTES = 5;

/** The graph cannot be read, or not be cut as asked: it lacks an output, or is not as expected. */
export class GraphError extends Error {
  override readonly name = 'GraphError';
}

export interface Field {
  readonly number: number;
  /** All of it, with its key. */
  readonly bytes: Uint8Array;
  /** Without its key and length. */
  readonly content: Uint8Array;
}

/** @throws GraphError */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = message[at++];
      if (byte === undefined || shift > 2 ** 63) throw new GraphError('the model file is damaged');
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const start = at;
    const key = varint();
    const wire = key % 8;
    let from = at;
    if (wire === VARINT) varint();
    else if (wire === EIGHT_BYTES) at += 8;
    else if (wire === FOUR_BYTES) at += 4;
    else if (wire === DELIMITED) {
      const length = varint();
      from = at;
      at += length;
    } else throw new GraphError('the model file is damaged');
    if (at > message.length) throw new GraphError('the model file is damaged');
    yield { number: Math.floor(key / 8), bytes: message.subarray(start, at), content: message.subarray(from, at) };
  }
}

/** A field that holds a message, a text or bytes. */
export function lengthDelimited(number: number, content: readonly Uint8Array[]): Uint8Array[] {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return [Buffer.from([...varintOf(number * 8 + DELIMITED), ...varintOf(length)]), ...content];
}

export const textField = (number: number, value: string): Uint8Array[] => lengthDelimited(number, [Buffer.from(value)]);

/** @param value a whole number of at least 0 */
export const numberField = (number: number, value: number): Uint8Array =>
  Buffer.from([...varintOf(number * 8 + VARINT), ...varintOf(value)]);

export function floatField(number: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([Buffer.from(varintOf(number * 8 + FOUR_BYTES)), bytes]);
}

function varintOf(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}
