import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodePoints } from '#domain/code-points.js';
import { answers, importGliner, KINDS, writeGliner, type Answer, type Kind } from '#test/gliner/tiny.js';
import type { EntityQuery, LoadedModel } from '../engine.js';
import { drain } from '../steps.js';
import { engine } from './index.js';

const recorded = await answers();

const queriesOf = (labels: Answer['labels']): readonly EntityQuery[] =>
  Array.isArray(labels)
    ? labels.map((name: string) => ({ name }))
    : Object.entries(labels as Record<string, string>).map(([name, description]) => ({ name, description }));

describe.each(KINDS)('an imported GLiNER model of the kind %s', (kind: Kind) => {
  let folder: string;
  let model: LoadedModel;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gliner-'));
    await writeGliner(join(folder, 'source'), kind);
    model = engine.load(await importGliner(join(folder, 'source'), 'ada/gliner', join(folder, 'models')), null);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Hits of a text in text order. */
  const found = (text: string, entities: readonly EntityQuery[], flat = true, threshold: number | null = null) => {
    const schema = { entities, flatNer: flat };
    const { results } = drain(model.infer({ texts: [text], schema, threshold }));
    return Object.values(results[0]!.entities!)
      .flat()
      .toSorted((a, b) => a.start - b.start || a.end - b.end);
  };

  it.each(recorded[kind].map((answer, at) => [at, answer] as const))(
    'finds what the Python package finds, with its scores (%i)',
    (_, { text, labels, flat, threshold, hits }) => {
      const { toUtf16 } = new CodePoints(text);
      const expected = hits.map(({ start, end, label, text: part, score }) => {
        const place = { start: toUtf16(start), end: toUtf16(end) };
        return { ...place, label, text: part, confidence: expect.closeTo(score, 4) };
      });
      const inOrder = expected.toSorted((a, b) => a.start - b.start || a.end - b.end);
      expect(found(text, queriesOf(labels), flat, threshold)).toEqual(inOrder);
    },
  );
});
