import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ArtifactError } from '../../engine.js';
import type { Tensor, TensorData } from '../head.js';
import { decodeSafetensors, encodeSafetensors } from './safetensors.js';

const file = (header: unknown, data: Uint8Array = new Uint8Array(0), claimed?: bigint): ArrayBuffer => {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, claimed ?? BigInt(json.length), true);
  bytes.set(json, 8);
  bytes.set(data, 8 + json.length);
  return bytes.buffer;
};
const eight = new Uint8Array(8);
const tensor = (begin: number, end: number, shape = [(end - begin) / 4], dtype = 'F32') => ({
  dtype,
  shape,
  data_offsets: [begin, end],
});

describe('safetensors', () => {
  const numbers: fc.Arbitrary<TensorData> = fc.oneof(
    fc.float32Array(),
    fc.float64Array(),
    fc.int8Array(),
    fc.uint8Array(),
    fc.int32Array(),
    fc.uint32Array(),
    fc.array(fc.bigInt(0n, 2n ** 64n - 1n)).map((values) => BigUint64Array.from(values)),
  );

  it('reads back exactly the written tensors, with any names and number types', () => {
    const named = fc.uniqueArray(fc.tuple(fc.string(), numbers), { selector: ([name]) => name });
    fc.assert(
      fc.property(named, (pairs) => {
        const wanted = new Map<string, Tensor>(pairs.map(([name, data]) => [name, { shape: [data.length, 1], data }]));
        const bytes = encodeSafetensors(Object.fromEntries(wanted));
        const { tensors } = decodeSafetensors(bytes.buffer);
        expect(Object.keys(tensors).sort()).toEqual([...wanted.keys()].sort());
        for (const [name, { shape, data }] of wanted) expect(tensors[name]).toEqual({ shape, data });
      }),
    );
  });

  it('gives the same bytes for the same tensors in another order', () => {
    const a: Tensor = { shape: [2], data: new Float32Array([1, 2]) };
    const b: Tensor = { shape: [1], data: new Int8Array([3]) };
    expect(encodeSafetensors({ a, b })).toEqual(encodeSafetensors({ b, a }));
  });

  it('lays the file out as the format says', () => {
    const bytes = encodeSafetensors({
      small: { shape: [1], data: new Uint8Array([7]) },
      wide: { shape: [], data: new Float64Array([1]) },
    });
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    expect(JSON.parse(new TextDecoder().decode(bytes.slice(8, 8 + length)))).toEqual({
      wide: { dtype: 'F64', shape: [], data_offsets: [0, 8] },
      small: { dtype: 'U8', shape: [1], data_offsets: [8, 9] },
    });
    expect([...bytes.slice(8 + length)]).toEqual([0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 7]);
  });

  it('views the numbers in place, also in shared memory', () => {
    const bytes = encodeSafetensors({
      a: { shape: [2], data: new Float32Array([1, 2]) },
      b: { shape: [1], data: new Uint8Array([3]) },
    });
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    const { tensors } = decodeSafetensors(shared);
    expect(tensors['a']?.data.buffer).toBe(shared);
    expect(tensors['a']?.data).toEqual(new Float32Array([1, 2]));
    expect(tensors['b']?.data.buffer).toBe(shared);
  });

  it('reads the unaligned tensors of a foreign writer', () => {
    const data = new Uint8Array(5);
    data[0] = 9;
    new DataView(data.buffer).setFloat32(1, 0.5, true);
    const header = { a: tensor(0, 1, [1], 'U8'), b: tensor(1, 5) };
    const { tensors } = decodeSafetensors(file(header, data));
    expect(tensors['b']?.data).toEqual(new Float32Array([0.5]));
  });

  it('refuses to write a shape that does not match its numbers', () => {
    expect(() => encodeSafetensors({ a: { shape: [3], data: new Float32Array(2) } })).toThrow(RangeError);
  });

  it.each<[string, ArrayBuffer]>([
    ['an empty file', new ArrayBuffer(0)],
    ['a length field cut short', new ArrayBuffer(7)],
    ['a header length of 2^64-1', file('{}', eight, 2n ** 64n - 1n)],
    ['a header longer than the file', file('{}', eight, 11n)],
    ['a header that is not UTF-8', new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0, 0xff]).buffer],
    ['a header that is not JSON', file('{"a":')],
    ['a header that is a list', file('[]')],
    ['a header that is null', file('null')],
    ['a tensor without a description', file({ a: null })],
    ['an unknown number type', file({ a: tensor(0, 8, [2], 'F32_E4M3') }, eight)],
    ['a number type named like an object property', file({ a: tensor(0, 8, [2], 'constructor') }, eight)],
    ['a negative dimension', file({ a: tensor(0, 8, [-1, -2]) }, eight)],
    ['a fractional dimension', file({ a: tensor(0, 8, [4, 0.5]) }, eight)],
    ['dimensions whose product overflows', file({ a: tensor(0, 8, [2 ** 52, 2 ** 52, 2]) }, eight)],
    ['a text as a shape', file({ a: { dtype: 'F32', shape: '2', data_offsets: [0, 8] } }, eight)],
    ['three offsets', file({ a: { dtype: 'F32', shape: [2], data_offsets: [0, 8, 8] } }, eight)],
    ['offsets turned round', file({ a: { dtype: 'F32', shape: [0], data_offsets: [8, 0] } }, eight)],
    ['an offset past the end', file({ a: tensor(0, 12) }, eight)],
    ['fewer bytes than the shape needs', file({ a: tensor(0, 8, [3]) }, eight)],
    ['two tensors over one range', file({ a: tensor(0, 8), b: tensor(0, 8) }, eight)],
    ['two tensors that overlap', file({ a: tensor(0, 8), b: tensor(4, 8) }, eight)],
    ['a hole', file({ a: tensor(4, 8) }, eight)],
    ['bytes that belong to no tensor', file({ a: tensor(0, 4) }, eight)],
    ['metadata that is not texts', file({ __metadata__: { a: 1 } })],
  ])('refuses %s', (_what, buffer) => {
    expect(() => decodeSafetensors(buffer)).toThrow(ArtifactError);
  });

  it('reads or refuses arbitrary bytes, and throws no other error', () => {
    const valid = encodeSafetensors({ a: { shape: [2], data: new Float32Array([1, 2]) } });
    fc.assert(
      fc.property(fc.nat(valid.length - 1), fc.nat(255), (at, value) => {
        const bytes = valid.slice();
        bytes[at] = value;
        try {
          decodeSafetensors(bytes.buffer);
        } catch (error) {
          expect(error).toBeInstanceOf(ArtifactError);
        }
      }),
    );
  });

  it('is not affected by a tensor named __proto__', () => {
    const { tensors } = decodeSafetensors(
      file('{"__proto__": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}', eight),
    );
    expect(Object.keys(tensors)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['shape']).toBeUndefined();
  });
});
