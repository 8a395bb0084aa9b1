import fc from 'fast-check';
import { JsonShape } from '#primitives/text/json-shape.js';
import { parseInTurns, UnparsedError } from './large-body.js';

function shapeOf(bytes: Buffer, chunkBytes: number): JsonShape {
  const shape = new JsonShape(100_000);
  for (let at = 0; at < bytes.length; at += chunkBytes) shape.read(bytes.subarray(at, at + chunkBytes));
  return shape;
}

const parsed = (json: string, chunkBytes = 1_000) => {
  const bytes = Buffer.from(json);
  return parseInTurns(bytes, shapeOf(bytes, chunkBytes).longTexts);
};

/** Compared by equality: a difference would be printed whole. */
const isSame = async (json: string) => JSON.stringify(await parsed(json, 65_536)) === JSON.stringify(JSON.parse(json));

const long = fc.tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 60 }));
const texts = long.map(([text, times]) => text.repeat(times));
/** The generator makes that name on purpose; a body with it is refused. */
const value = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 4 })
  .filter((made) => !JSON.stringify(made).includes('__proto__'));

describe('a large JSON body', () => {
  it('gives the same value as JSON.parse, for any split into chunks', async () => {
    const body = fc.record({ texts: fc.array(texts), value, [`key ${'x'.repeat(300)}`]: texts });
    await fc.assert(
      fc.asyncProperty(body, fc.integer({ min: 1, max: 700 }), async (given, chunkBytes) => {
        const json = JSON.stringify(given);
        expect(await parsed(json, chunkBytes)).toEqual(JSON.parse(json));
      }),
    );
  });

  it.each(['\\\\', 'x\\\\', '\\u4e2d', 'ab\\u4e2d', '\\ud83d\\ude00', 'x\\n', '💥', 'x💥', '\\"', 'é', '\\\\\\u4e2d'])(
    'is parsed correctly with long texts of %s, however they are split',
    async (piece) => {
      for (const before of ['', 'a', 'ab', 'abc', '\\\\'])
        expect(await isSame(`{"a":["${before}${piece.repeat(Math.ceil(900_000 / piece.length))}"]}`)).toBe(true);
    },
  );

  it.each<[string, string, number]>([
    ['behind long texts', `["${'x'.repeat(500)}","${'y'.repeat(900)}" 7]`, 1_407],
    ['before long texts', `[1 7,"${'x'.repeat(500)}"]`, 3],
    ['in a long text', `["${'x'.repeat(500)}\n${'x'.repeat(500)}"]`, 502],
    ['in an escape', `["${'x'.repeat(500)}\\q${'x'.repeat(500)}"]`, 503],
  ])('is refused with the position of a mistake %s', async (_, json, position) => {
    const error = await parsed(json).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnparsedError);
    expect((error as UnparsedError).position).toBe(position);
  });

  it('is refused if it has a key __proto__ or bytes that are not UTF-8', async () => {
    await expect(parsed(`[{"a":{"__\\u0070roto__":1}},"${'x'.repeat(500)}"]`)).rejects.toThrow(/__proto__/);
    const bytes = Buffer.from(`["${'\u00e9'.repeat(500)}"]`, 'latin1');
    await expect(parseInTurns(bytes, shapeOf(bytes, 100).longTexts)).rejects.toThrow(/UTF-8/);
  });
});
