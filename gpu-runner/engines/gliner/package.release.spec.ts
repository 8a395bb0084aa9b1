import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodePoints } from '#domain/code-points.js';
import { answersOfPackage, glinerPython, writeByPackage } from '#test/gliner/python.js';
import { importGliner, KINDS, type Kind } from '#test/gliner/tiny.js';
import { describeWith } from '#test/torch/environment.js';
import { drain } from '../steps.js';
import { engine } from './index.js';

const WORDS = [
  ...[
    'Ada',
    'met',
    'Bob',
    'in',
    '東京',
    'well-known',
    'x_y',
    '3',
    '1815',
    '.',
    ',',
    '😀',
    '—',
    'São',
    'Rome',
    '!',
    '(a)',
  ],
];
const LABELS = ['person', 'city', 'date of birth', '場所'];
/** Calls that differ in every respect, the same in each run; texts that fit in one window. */
const CALLS = Array.from({ length: 60 }, (_, call) => ({
  text: Array.from(
    { length: 1 + (call % 9) },
    (__, at) => WORDS[(call * 7 + at * (1 + (call % 5))) % WORDS.length],
  ).join(call % 4 === 0 ? '  ' : ' '),
  labels: LABELS.slice(call % 3, 2 + (call % 3)),
  flat: call % 2 === 0,
  threshold: [0.5, 0.3, 0.8][call % 3]!,
}));

const needed = async () => ({ python: await glinerPython() });

await describeWith('beside the Python package gliner', needed, ({ python }) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gliner-package-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(KINDS)('a model of the kind %s that it wrote gives the same hits and scores', async (kind: Kind) => {
    const source = join(folder, kind, 'source');
    await mkdir(source, { recursive: true });
    await writeByPackage(python, source, kind);
    const theirs = await answersOfPackage(python, source, CALLS);
    const model = engine.load(await importGliner(source, 'ada/gliner', join(folder, kind, 'models')), null);
    let hits = 0;
    for (const [at, { text, labels, flat, threshold }] of CALLS.entries()) {
      const schema = { entities: labels.map((name) => ({ name })), flatNer: flat };
      const { results } = drain(model.infer({ texts: [text], schema, threshold }));
      const { toUtf16 } = new CodePoints(text);
      const inOrder = <Hit extends { readonly start: number; readonly end: number; readonly label: string }>(
        all: readonly Hit[],
      ) => all.toSorted((a, b) => a.start - b.start || a.end - b.end);
      const expected = theirs[at]!.map(({ start, end, label, text: part, score }) => {
        const place = { start: toUtf16(start), end: toUtf16(end) };
        return { ...place, label, text: part, confidence: expect.closeTo(score, 4) };
      });
      expect(inOrder(Object.values(results[0]!.entities!).flat())).toEqual(inOrder(expected));
      hits += expected.length;
    }
    expect(hits).toBeGreaterThan(100);
  });
});
