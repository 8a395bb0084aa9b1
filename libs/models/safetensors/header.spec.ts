import { readSafetensorsHeader, SafetensorsError } from './header.js';
import { tinySafetensors, withHeader } from './tiny.fixture.js';

const headerOf = (file: Buffer) =>
  readSafetensorsHeader(file.length, (begin, length) => file.subarray(begin, begin + length));
const numbers = Buffer.alloc(8);
const f32 = (begin: number) => ({ dtype: 'F32', shape: [1], data_offsets: [begin, begin + 4] });
const lengthOf = (bytes: bigint) => {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(bytes);
  return length;
};

describe('the header of a safetensors file', () => {
  it('says where each tensor is, of every number type and of no numbers', () => {
    const file = withHeader(
      {
        __metadata__: { format: 'pt' },
        b: { dtype: 'BF16', shape: [2, 1], data_offsets: [0, 4] },
        a: f32(4),
        none: { dtype: 'I64', shape: [0, 3], data_offsets: [8, 8] },
      },
      numbers,
    );
    const { tensors, metadata } = headerOf(file);
    expect(metadata).toEqual({ format: 'pt' });
    expect([...tensors.keys()]).toEqual(['b', 'a', 'none']);
    expect(tensors.get('a')).toEqual({ dtype: 'F32', shape: [1], begin: file.length - 4, end: file.length });
  });

  it.each<[string, Buffer, RegExp]>([
    ['is empty', Buffer.alloc(0), /cut off/],
    ['has a header beyond its end', lengthOf(2n ** 40n), /would have 1099511627776 bytes/],
    [
      'has a header larger than any',
      Buffer.concat([lengthOf(2n ** 63n), numbers]),
      /would have 9223372036854775808 bytes/,
    ],
    ['has no JSON', withHeader('{"a":', numbers), /not JSON/],
    ['has no object', withHeader('null', numbers), /no JSON object/],
    ['has text that is no UTF-8', Buffer.concat([lengthOf(2n), Buffer.from([0xc3, 0x28])]), /not JSON/],
    ['has a name twice', withHeader('{"a": {}, "\\u0061": {}}', numbers), /a name twice/],
    ['has metadata that are no texts', withHeader({ __metadata__: { a: 1 } }, Buffer.alloc(0)), /no?t? a map of texts/],
    ['has an unknown type', tinySafetensors('x', { dtype: 'constructor' }), /unknown number type "constructor"/],
    ['has a negative size', tinySafetensors('x', { shape: [-1, -1] }), /no valid shape/],
    ['has a size that is no whole number', tinySafetensors('xx', { shape: [0.5, 4] }), /no valid shape/],
    ['has another shape', tinySafetensors('x', { shape: [2] }), /has 1 bytes, where its shape needs 2/],
    ['has a shape that overflows', tinySafetensors('x', { shape: [2 ** 52, 2 ** 52] }), /where its shape needs/],
    ['has one offset', tinySafetensors('x', { data_offsets: [0] }), /no valid offsets/],
    ['has offsets before its beginning', tinySafetensors('x', { data_offsets: [-1, 0] }), /no valid offsets/],
    ['has offsets that go backwards', tinySafetensors('x', { data_offsets: [1, 0] }), /past the end/],
    ['ends early', tinySafetensors('weights').subarray(0, -1), /past the end/],
    ['has bytes of no tensor', Buffer.concat([tinySafetensors('x'), numbers]), /8 bytes at its end/],
    ['has tensors that overlap', withHeader({ a: f32(0), b: f32(0) }, numbers), /"b" leaves a hole or overlaps/],
    ['has a hole', withHeader({ a: f32(4) }, numbers), /"a" leaves a hole/],
  ])('that %s is refused', (_, file, message) => {
    expect(() => headerOf(file)).toThrow(SafetensorsError);
    expect(() => headerOf(file)).toThrow(message);
  });
});
