import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importGliner } from '#test/gliner/tiny.js';
import { answers, expectedOf, KINDS, writeGliner2, type Kind } from '#test/gliner2/tiny.js';
import type { LoadedModel } from '../engine.js';
import { drain } from '../steps.js';
import { engine } from './index.js';

const recorded = await answers();

describe.each(KINDS)('an imported GLiNER2 model of the kind %s', (kind: Kind) => {
  let folder: string;
  let model: LoadedModel;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gliner2-'));
    await writeGliner2(join(folder, 'source'), kind);
    model = engine.load(await importGliner(join(folder, 'source'), 'ada/gliner', join(folder, 'models')), null);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(recorded[kind].map((answer, at) => [at, answer] as const))(
    'answers as the torch engine does, with its confidences (%i)',
    (_, { text, schema, threshold, result }) => {
      const { results } = drain(model.infer({ texts: [text], schema, threshold }));
      expect(results[0]).toEqual(expectedOf(result, text));
    },
  );
});
