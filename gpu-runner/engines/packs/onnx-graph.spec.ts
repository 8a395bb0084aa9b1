import { ArtifactError } from '../engine.js';
import { cutGraph, GraphError, refuseExternalNumbers } from './onnx-graph.js';
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
const castTo = (output: string, type: number): Message => [
  ...node('Cast', ['input_ids'], output),
  [
    5,
    [
      [1, 'to'],
      [3, type],
      [20, 2],
    ],
  ],
];
const cast = castTo('floats', 1);
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

/** The inputs as floats of 16 bits. */
const halved = encoded([
  [1, 8],
  [
    7,
    [
      [1, castTo('half', 10)],
      [2, 'graph'],
      [11, tensor('input_ids', 7)],
      [12, tensor('half', 10)],
    ],
  ],
  [8, [[2, 17]]],
]);

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

  for (const [where, { open, from }] of Object.entries(runtimes))
    (isInstalled(from) ? it : it.skip)(`gives floats of 16 bits as those of 32, ${where}`, async () => {
      const session = (await open())(halved, ['half']);
      expect(run(session, [1, 5])['half']).toEqual({ data: Float32Array.of(1, 5), dims: [1, 2] });
    });

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

describe('numbers in other files', () => {
  const located: Message = [...constant('two', 2), [14, 1]];
  const inNode = (attribute: Message): Message => [...node('Constant', [], 'x'), [5, attribute]];
  const graphOf = (...parts: Message): Message => [[7, parts]];

  it.each<[string, Message]>([
    ['of a graph', graphOf([5, located])],
    ['that are named without a place', graphOf([5, [[13, [[1, 'location']]]]])],
    ['of a node', graphOf([1, inNode([[5, located]])])],
    ['of a graph in a node', graphOf([1, inNode([[6, [[5, located]]]])])],
    ['of sparse numbers', graphOf([15, [[1, located]]])],
    ['of a function', [[25, [[7, inNode([[10, located]])]]]]],
  ])('are refused as those %s', (_, message) => {
    expect(() => refuseExternalNumbers(encoded(message))).toThrow(GraphError);
    expect(() => refuseExternalNumbers(encoded(message))).toThrow('the model has numbers in other files');
  });

  it('are not those of a whole model', () => {
    refuseExternalNumbers(model);
    refuseExternalNumbers(encoded(graphOf([5, [...constant('two', 2), [14, 0]]])));
  });

  it('are not looked for without end', () => {
    let deep: Message = [];
    for (let depth = 0; depth < 60; depth++) deep = [[1, [[5, [[6, deep]]]]]];
    expect(() => refuseExternalNumbers(encoded(graphOf(...deep)))).toThrow('more than 100 deep');
  });
});
