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

const ANIMALS = 'otter heron lynx mole stork viper gecko quail seal ibex weasel toad'.split(' ');
const TOOLS = 'hammer chisel rasp file drill wrench jig clamp plane spade awl lathe'.split(' ');
const UNSEEN = { animals: ['walrus', 'pigeon', 'badger', 'newt'], tools: ['screwdriver', 'shovel', 'saw', 'pliers'] };

/** The same sentences about animals, which are labelled, and about tools, which are not. */
function rowsOf(animals: readonly string[], tools: readonly string[]): Example[] {
  const text = 'yesterday we saw a ';
  return animals.flatMap((animal, index) => [
    {
      text: `${text}${animal} there`,
      entities: [{ start: text.length, end: text.length + animal.length, label: 'creature' }],
    },
    { text: `${text}${tools[index]!} there`, entities: [] },
  ]);
}
const train = rowsOf(ANIMALS.slice(0, 10), TOOLS.slice(0, 10));
const validation = rowsOf(ANIMALS.slice(10), TOOLS.slice(10));
const unseen = rowsOf(UNSEEN.animals, UNSEEN.tools);

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
