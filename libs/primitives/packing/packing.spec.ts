import fc from 'fast-check';
import type { JsonObject } from '#domain/json.js';
import { Packer, Unpacker } from './index.js';

const ID = '0190b6a0-0000-7000-8000-000000000001';
/** Objects after which a text is known. */
const SEEN = 40;
const METADATA = {
  ...{ workspaceId: ID, actor: `key:${ID}`, correlationId: ID, causationId: ID, commandId: ID },
  occurredAt: '2030-01-02T03:04:05.678Z',
};
const metered = (data: JsonObject, metadata: JsonObject = METADATA): readonly JsonObject[] => [data, metadata];

/** A packer whose texts are kept when they are wanted, and a reader of what it packs. */
function log(shared?: ReadonlySet<string>) {
  const texts: string[] = [];
  const packer = new Packer({ times: 4, oneOf: 7 }, shared);
  const keep = () => {
    const wanted = packer.takeWanted();
    packer.learn(
      wanted,
      wanted.map((text) => texts.push(text) - 1),
    );
  };
  // Its bytes last until the next.
  const again = (objects: readonly JsonObject[]) => {
    const packed = packer.pack(objects);
    return packed && { ...packed, bytes: Buffer.from(packed.bytes) };
  };
  const pack = (objects: readonly JsonObject[]) => {
    for (let time = 0; time < SEEN; time += 1) packer.pack(objects);
    keep();
    return again(objects);
  };
  const unpacker = new Unpacker((id) => texts[id] ?? null);
  return { texts, pack, keep, unpacker, again };
}

/** Each member is a single value. */
const shapeOfMembers = (objects: readonly JsonObject[]) =>
  objects.map((object) => Object.fromEntries(Object.keys(object).map((key) => [key, 0])));

describe('packed objects', () => {
  const text = fc.oneof(
    fc.string(),
    fc.uuid(),
    fc.uuid().map((uuid) => uuid.toUpperCase()),
    fc.tuple(fc.uuid(), fc.string()).map((parts) => parts.join('')),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.base64String({ minLength: 16 }),
    fc.stringMatching(/^[A-Za-z0-9+/]{22}(==|[A-Za-z0-9+/]=|[A-Za-z0-9+/]{2})$/),
    fc.stringMatching(/^[0-9a-f]{32,64}$/),
    fc.stringMatching(/^\d{1,20}$/),
    fc.constantFrom('2030-02-30T03:04:05.678Z', '2030-01-02T24:00:00.000Z', '-0', '00', '', METADATA.occurredAt, ID),
  );
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.constantFrom(null, true, false, 0, -0, 0.1, -1, 2 ** 53, -(2 ** 40), 1e300, 5e-324),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('1', '{', '0', 'toString', '__proto__')), tie('value')),
    ),
  }));

  it('give back the same JSON, members in the same order, or are not packed', () => {
    let packedOnes = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), values.value, { minKeys: 1 }), (given) => {
        const data = given as JsonObject;
        const { pack, unpacker, again } = log();
        const other = metered(data, { ...METADATA, workspaceId: null });
        for (const packed of [pack(metered(data)), again(other)]) {
          if (packed === null) continue;
          packedOnes += 1;
          const [unpacked, metadata] = unpacker.unpack(packed.bytes);
          expect(JSON.stringify(unpacked)).toBe(JSON.stringify(data));
          expect(JSON.stringify([unpacked, metadata]).length).toBeLessThanOrEqual(packed.characters + 200);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(packedOnes).toBeGreaterThan(1_000);
  });

  it('are JSON until the log has their shape', () => {
    const { again, keep } = log();
    const event = metered({ inferenceId: ID, latencyMs: 1.5 });
    for (let time = 0; time < SEEN; time += 1) expect(again(event)).toBeNull();
    keep();
    expect(again(event)).not.toBeNull();
  });

  it('keep texts of the members that others share alone, and give back the others too', () => {
    let packedOnes = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), values.value, { minKeys: 1 }), (given) => {
        const document = { ...(given as JsonObject), task: 'extract' };
        const { pack, unpacker, texts } = log(new Set(['task']));
        const packed = pack([document]);
        if (packed === null) return;
        packedOnes += 1;
        expect(JSON.stringify(unpacker.unpack(packed.bytes))).toBe(JSON.stringify([document]));
        expect(texts.toSorted()).toEqual([JSON.stringify(shapeOfMembers([document])), 'extract'].toSorted());
      }),
      { numRuns: 1_000 },
    );
    expect(packedOnes).toBeGreaterThan(500);
  });

  it('take less than a sixth of their JSON once the log knows their texts', () => {
    const { pack } = log();
    const data = {
      ...{ inferenceId: ID, teamId: ID, modelId: 'acme/chat', status: 'success', latencyMs: 12, stored: true },
      ...{ price: { input: '1000000', output: '2000000' }, costPicodollars: '52000000', at: METADATA.occurredAt },
    };
    const json = JSON.stringify(data).length + JSON.stringify(METADATA).length;
    expect(pack(metered(data))!.bytes.length).toBeLessThan(json / 6);
  });

  it('keep no id of one thing, however often it has it, but texts that come again after many that did not', () => {
    const { texts, keep, again } = log();
    for (let thing = 0; thing < 500; thing += 1) {
      const id = `0190b6a0-0000-7000-8000-${String(thing).padStart(12, '0')}`;
      const metadata = { ...METADATA, correlationId: id, causationId: id, commandId: id };
      const data = { inferenceId: id, userId: thing < 300 ? id : 'a user' };
      // A call is packed as it begins and as it ends.
      again(metered(data, metadata));
      again(metered(data, metadata));
      keep();
    }
    expect(texts.filter((text) => text.startsWith(ID.slice(0, -12)) && text !== ID)).toEqual([]);
    const before = again(metered({ inferenceId: ID, userId: 'another user' }))!.bytes.length;
    expect(again(metered({ inferenceId: ID, userId: 'a user' }))!.bytes.length).toBeLessThan(before - 8);
  });

  it('are read for ever as they were written', () => {
    const texts = [
      '[{"a":0,"b":[0,0,0],"c":{"d":0,"e":0,"f":0}},{"g":0,"h":0,"i":0,"j":0,"k":0,"l":0,"m":0,"n":0}]',
      'acme/chat',
    ];
    const whole = [
      ...['01', '000000', '0305416461c3a9', '00', '01', '02', '040190b6a0000070008000000000000001', '40', '8001'],
      ...[
        '0510' + '00112233445566778899aabbccddeeff',
        '060c416461204c6f76656c616365',
        '07ae3b26b4b801',
        '08ac02',
        '0bcdcccccccccc0040',
        '0d102a',
        '0e097b2261223a5b315d7d',
        '0f0190b6a0000070008000000000000001022f37',
      ],
    ];
    const unpacker = new Unpacker((id) => texts[id] ?? null);
    expect(unpacker.unpack(Buffer.from(whole.join(''), 'hex'))).toEqual([
      { a: 'Adaé', b: [null, true, false], c: { d: ID, e: ID, f: 'acme/chat' } },
      {
        ...{ g: '00112233445566778899aabbccddeeff', h: 'QWRhIExvdmVsYWNl', i: new Date(0x01b8b4263bae).toISOString() },
        ...{ j: '300', k: 2.1, l: '0000000000000042', m: { a: [1] }, n: `${ID}/7` },
      },
    ]);
  });

  it.each([
    ['a way that is not known', '02000000'],
    ['too few values', '0100000000'],
    ['too many values', '010000000000' + '00'],
    ['a text that is missing', '01000000008009'],
    ['an unknown kind of value', '01000000003f'],
    ['a length past its end', '010000000003ff01'],
    ['an earlier value that there is not', '0100000041'],
  ])('are refused with %s', (_, hex) => {
    const unpacker = new Unpacker((id) => (id === 0 ? '[{"a":0},{"b":0}]' : null));
    expect(() => unpacker.unpack(Buffer.from(hex, 'hex'))).toThrow();
  });
});
