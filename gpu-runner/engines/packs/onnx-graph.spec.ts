import { ArtifactError } from '../engine.js';
import { cutGraph, GraphError } from './onnx-graph.js';
import { isInstalled, NATIVE, WASM } from './installed.js';
import { nativeRuntime } from './native-runtime.js';
import { textFeeds, type GraphSession } from './session.js';
import { wasmRuntime } from './wasm-runtime.js';

type Message = readonly (readonly [number: number, value: number | string | Message])[];

/** A protocol buffer, for values below 128 and parts below 16 KiB. */
const encoded = (message: Message): Buffer =>
  Buffer.concat(
    message.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.from([...varint(number * 8), value]);
      const content = typeof value === 'string' ? Buffer.from(value, 'latin1') : encoded(value);
      return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(content.length)]), content]);
    }),
  );

const varint = (value: number) => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);

const node = (type: string, inputs: readonly string[], output: string): Message => [
  ...inputs.map((name) => [1, name] as const),
  [2, output],
  [4, type],
];
const float = (value: number) => Buffer.from(Float32Array.of(value).buffer).toString('latin1');
const constant = (name: string, value: number): Message => [
  [1, 1],
  [2, 1],
  [8, name],
  [9, float(value)],
];
const cast: Message = [
  ...node('Cast', ['input_ids'], 'floats'),
  [
    5,
    [
      [1, 'to'],
      [3, 1],
      [20, 2],
    ],
  ],
];
const tensor = (name: string, type: number): Message => [
  [1, name],
  [
    2,
    [
      [
        1,
        [
          [1, type],
          [
            2,
            [
              [1, [[2, 'batch']]],
              [1, [[2, 'length']]],
            ],
          ],
        ],
      ],
    ],
  ],
];

/** floats + two = three, and that * ten = last. */
const model = encoded([
  [1, 8],
  [
    7,
    [
      [1, cast],
      [1, node('Add', ['floats', 'two'], 'inner')],
      [1, node('Mul', ['inner', 'ten'], 'last')],
      [2, 'graph'],
      [5, constant('two', 2)],
      [5, constant('ten', 10)],
      [11, tensor('input_ids', 7)],
      [12, tensor('last', 1)],
      [13, tensor('inner', 1)],
    ],
  ],
  [8, [[2, 17]]],
]);

describe('a cut graph', () => {
  it('keeps the inputs of an inner value, and no other node or number', () => {
    const cut = Buffer.from(cutGraph(model, ['inner'])).toString('latin1');
    expect(cut).toContain('Add');
    expect(cut).toContain('two');
    expect(cut).not.toContain('Mul');
    expect(cut).not.toContain('ten');
    expect(cut.length).toBeLessThan(model.length);
  });

  it('has the same bytes each time', () => {
    expect(cutGraph(model, ['inner'])).toEqual(cutGraph(model, ['inner']));
  });

  const run = (session: GraphSession, ids: readonly number[]) => session.run(textFeeds(session, ids));
  const runtimes = {
    'in native code': { open: async () => nativeRuntime(), from: NATIVE },
    'in WebAssembly': { open: wasmRuntime, from: WASM.code },
  };
  for (const [where, { open, from }] of Object.entries(runtimes))
    (isInstalled(from) ? it : it.skip)(
      `runs ${where}, and returns the inner value along with the last one`,
      async () => {
        const openSession = await open();
        const session = openSession(cutGraph(model, ['inner', 'last']), ['inner', 'last']);
        for (const [ids, inner] of [
          [
            [1, 5],
            [3, 7],
          ],
          [[4], [6]],
          [
            [1, 5],
            [3, 7],
          ],
        ] as const) {
          const outputs = run(session, ids);
          expect(outputs['inner']!.dims).toEqual([1, ids.length]);
          expect([...outputs['inner']!.data]).toEqual(inner);
          expect([...outputs['last']!.data]).toEqual(inner.map((value) => value * 10));
        }
        const inner = run(openSession(cutGraph(model, ['inner']), ['inner']), [4]);
        expect([...inner['inner']!.data]).toEqual([6]);
        expect(() => openSession(Buffer.from('no model'), ['inner'])).toThrow(ArtifactError);
      },
    );

  it.each([
    ['an output that no node makes', model, ['nope'], 'no node makes nope'],
    ['a file that ends too early', model.subarray(0, model.length - 20), ['inner'], 'damaged'],
    ['a file that is not a model', Buffer.from('PK\u0003\u0004 no model'), ['inner'], /damaged|graphs/],
    ['an empty file', Buffer.alloc(0), ['inner'], '0 graphs'],
  ])('refuses %s', (_, bytes, outputs, message) => {
    expect(() => cutGraph(bytes, outputs)).toThrow(GraphError);
    expect(() => cutGraph(bytes, outputs)).toThrow(message);
  });
});
