import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importGliner } from '#test/gliner/tiny.js';
import { answersOfTorch, writeByPackage } from '#test/gliner2/python.js';
import { expectedOf, KINDS, type Call, type Kind } from '#test/gliner2/tiny.js';
import { describeWith, torchForTests } from '#test/torch/environment.js';
import { RefusedSchemaError } from '../encoder-engine.js';
import type { FieldQuery, InferSchema } from '../engine.js';
import { drain } from '../steps.js';
import { engine } from './index.js';

const WORDS = [
  ...['Ada', 'met', 'Bob', 'in', '東京', 'well-known', 'x_y', '3', '1815', '.', ',', '😀', '—', 'São', 'Rome', '!'],
  ...[
    '(a)',
    '@ada',
    'ada@x.org',
    'https://x.org/a?b=c',
    'नमस्ते',
    'ISTANBUL',
    'İz',
    'ſee',
    'donaudampfschifffahrt',
    '👩‍👩‍👧',
    '[E]',
  ],
];
const LABELS = ['person', 'city', 'date of birth', '場所', 'ada', '[L]', 'a "quoted" name'];
const CHOICES = ['flat', 'House', 'two words', 'ada', 'Rome'];

/** Calls that differ in every respect, the same in each run. */
const CALLS: readonly Call[] = Array.from({ length: 80 }, (_, call) => {
  const pick = <T>(from: readonly T[], count: number, step = 1) => [
    ...new Set(Array.from({ length: count }, (__, at) => from[(call * 7 + at * step) % from.length]!)),
  ];
  const described = (name: string, at: number) =>
    (call + at) % 3 === 0 ? { name, description: `some ${name}` } : { name };
  const own = (at: number) => ((call + at) % 4 === 0 ? { threshold: 0.2 + ((call + at) % 5) / 8 } : {});
  const words = Array.from(
    { length: 1 + (call % 17) },
    (__, at) => WORDS[(call * 7 + at * (1 + (call % 5))) % WORDS.length],
  );
  const fields = pick(LABELS, 1 + (call % 4)).map((name, at): FieldQuery => {
    const choices = (call + at) % 3 === 1 ? { choices: pick(CHOICES, 1 + (at % 4), 2) } : {};
    return { ...described(name, at), ...own(at), ...choices, dtype: (call + at) % 2 === 0 ? 'str' : 'list' };
  });
  const schema: InferSchema = {
    ...(call % 2 === 0 && {
      entities: pick(LABELS, 1 + (call % 6)).map((name, at) => ({ ...described(name, at), ...own(at) })),
    }),
    ...(call % 3 !== 1 && {
      classifications: pick(['mood', 'about', 'the kind of text'], 1 + (call % 2)).map((task, at) => ({
        ...{ task, labels: pick(CHOICES, 2 + (call % 4), 3), multiLabel: (call + at) % 2 === 0, ...own(at) },
        ...(call % 5 === 0 && { topK: 2 }),
        ...(call % 4 === 2 && { descriptions: [{ label: 'flat', description: 'a part of a house' }] }),
      })),
    }),
    ...(call % 4 !== 3 && {
      structures: pick(['home', 'trip', 'mood'], 1 + (call % 2)).map((name) => ({ name, fields })),
    }),
    ...(call % 5 !== 4 && {
      relations: pick(['lives in', 'met', 'home'], 1 + (call % 3)).map((name, at) => ({
        ...described(name, at),
        ...own(at),
      })),
    }),
    ...(call % 7 === 0 && { flatNer: false }),
  };
  return { text: words.join(call % 4 === 0 ? '  ' : ' '), schema, threshold: [0.5, 0.3, 0.8, 0.05][call % 4]! };
}).filter(({ schema }) => Object.keys(schema).length > 0);

const needed = async () => ({ python: (await torchForTests()).python });

await describeWith('beside the Python package gliner2', needed, ({ python }) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gliner2-package-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(KINDS)('a model of the kind %s that it wrote gives the same answers and confidences', async (kind: Kind) => {
    const source = join(folder, kind, 'source');
    await writeByPackage(python, source, kind);
    const theirs = await answersOfTorch(python, source, CALLS);
    const model = engine.load(await importGliner(source, 'ada/gliner2', join(folder, kind, 'models')), null);
    let found = 0;
    for (const [at, { text, schema, threshold }] of CALLS.entries()) {
      const infer = () => drain(model.infer({ texts: [text], schema, threshold })).results[0];
      const their = theirs[at]!;
      if ('refused' in their) expect(infer).toThrow(RefusedSchemaError);
      else expect({ at, ...infer() }).toEqual({ at, ...(expectedOf(their, text) as object) });
      found += JSON.stringify(their).split('confidence').length - 1;
    }
    expect(found).toBeGreaterThan(1000);
  });
});
