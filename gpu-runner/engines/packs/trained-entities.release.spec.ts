import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPack } from '#test/packs/maven-packs.js';
import { engine as builtInEngine } from '../builtin/index.js';
import { builtin } from '../builtin/registration.js';
import { resolveSettings } from '../builtin/settings.js';
import { ArtifactError, type Engine, type Example } from '../engine.js';
import { ENCODER } from './facts.js';
import { engine } from './index.js';

// No type of the base model tells these apart.
const FURNITURE = 'chair table sofa desk bench stool shelf wardrobe bed cabinet couch dresser'.split(' ');
const CLOTHES = 'scarf glove coat shirt skirt sock hat sweater jacket boot belt dress'.split(' ');
const UNSEEN = {
  furniture: ['armchair', 'bookcase', 'cupboard', 'sideboard'],
  clothes: ['jumper', 'blouse', 'cardigan', 'vest'],
};

/** The same sentences about furniture, which is labelled, and about clothes, which are not. */
function rowsOf(furniture: readonly string[], clothes: readonly string[]): Example[] {
  const text = 'yesterday we saw a ';
  return furniture.flatMap((piece, index) => [
    {
      text: `${text}${piece} there`,
      entities: [{ start: text.length, end: text.length + piece.length, label: 'furniture' }],
    },
    { text: `${text}${clothes[index]!} there`, entities: [] },
  ]);
}
const train = rowsOf(FURNITURE.slice(0, 10), CLOTHES.slice(0, 10));
const validation = rowsOf(FURNITURE.slice(10), CLOTHES.slice(10));
const unseen = rowsOf(UNSEEN.furniture, UNSEEN.clothes);

await describeWithPack(ENCODER.pack, (modelsDir) => {
  const baseDirectory = join(modelsDir, ENCODER.pack);
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'entities-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function artifactOf(trainer: Engine, directory: string, name: string): Promise<string> {
    const facts = { trainingType: 'lora', rows: 20, entityRows: 20, classSizes: [], multiLabel: false } as const;
    const { artifactDirectory } = await trainer.train(
      {
        ...{ settings: resolveSettings(facts), train, validation, baseDirectory: directory },
        ...{ startFrom: null, resumeFrom: null, outputDirectory: join(folder, name) },
      },
      () => undefined,
      new AbortController().signal,
    );
    return artifactDirectory;
  }

  it('entities are learned from the meaning of words, unlike with the built-in engine', async () => {
    const artifact = await artifactOf(engine, baseDirectory, 'small');
    const surface = builtin.baseModels[0]!.directory;
    const other = await artifactOf(builtInEngine, surface, 'base');
    const { f1 } = engine.load(baseDirectory, artifact).evaluate(unseen).figures;
    expect(f1).toBeGreaterThan(0.8);
    expect(builtInEngine.load(surface, other).evaluate(unseen).figures.f1).toBeLessThan(f1);
    // The vectors come from the pack: without it the weights on them mean nothing.
    expect(() => builtInEngine.load(surface, artifact)).toThrow(ArtifactError);
  });

  it('the same rows make the same file again', async () => {
    const bytes = async (name: string) =>
      readFileSync(join(await artifactOf(engine, baseDirectory, name), 'adapter_model.safetensors'));
    expect((await bytes('one')).equals(await bytes('two'))).toBe(true);
  });
});
