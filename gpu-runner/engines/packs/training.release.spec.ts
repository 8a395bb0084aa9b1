import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import { describeWithPack } from '#test/packs/maven-packs.js';
import { builtin } from '../builtin/registration.js';
import { engine as builtInEngine } from '../builtin/index.js';
import { resolveSettings } from '../builtin/settings.js';
import { ArtifactError, type Example, type TrainReport, type TrainRequest } from '../engine.js';
import { ENCODER } from './facts.js';
import { engine } from './index.js';

const fruits = ['apple', 'plum', 'pear', 'fig', 'melon', 'cherry'];
const rows: Example[] = fruits.flatMap((fruit): Example[] => [
  { text: `order one ${fruit} today`, entities: [spanOf('order one ', fruit)], labels: ['buy'] },
  { text: `the ${fruit} was rotten`, entities: [spanOf('the ', fruit)], labels: ['complain'] },
]);
const validation: Example[] = [
  { text: 'order one kiwi today', entities: [spanOf('order one ', 'kiwi')], labels: ['buy'] },
  { text: 'the kiwi was rotten', entities: [spanOf('the ', 'kiwi')], labels: ['complain'] },
];

function spanOf(before: string, fruit: string) {
  return { start: before.length, end: before.length + fruit.length, label: 'fruit' };
}

await describeWithPack(ENCODER.pack, (modelsDir) => {
  const baseDirectory = join(modelsDir, ENCODER.pack);
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'pack-training-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const facts = { trainingType: 'lora', rows: 12, entityRows: 12, classSizes: [6, 6], multiLabel: false } as const;
  const request = (changes: Partial<TrainRequest> = {}): TrainRequest => ({
    settings: resolveSettings(facts, { epochs: 3, seed: 5, earlyStoppingPatience: 0 }),
    train: rows,
    validation,
    baseDirectory,
    startFrom: null,
    resumeFrom: null,
    outputDirectory: join(directory, 'out'),
    ...changes,
  });
  const train = (
    changes: Partial<TrainRequest> = {},
    report: (report: TrainReport) => void = () => undefined,
    signal = new AbortController().signal,
  ) => engine.train(request(changes), report, signal);
  const filesOf = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString('base64')]));

  it('the same request makes the same files, whether resumed from a checkpoint or not', async () => {
    const kept = join(directory, 'kept');
    const { artifactDirectory } = await train({}, (report) => {
      if (report.kind === 'checkpoint' && report.epoch === 2) cpSync(report.directory, kept, { recursive: true });
    });
    const [again, resumed] = await Promise.all([
      train({ outputDirectory: join(directory, 'again') }),
      train({ outputDirectory: join(directory, 'resumed'), resumeFrom: kept }),
    ]);
    expect(filesOf(again.artifactDirectory)).toEqual(filesOf(artifactDirectory));
    expect(filesOf(resumed.artifactDirectory)).toEqual(filesOf(artifactDirectory));
  });

  it("the artifact and its card name the pack and the tagger's base model", async () => {
    const { artifactDirectory } = await train();
    const [pack, tagger] = await Promise.all([baseDirectory, builtin.baseModels[0]!.directory].map(baseModelSha256));
    const config = JSON.parse(readFileSync(join(artifactDirectory, 'adapter_config.json'), 'utf8'));
    expect(config.base_model).toEqual({
      id: ENCODER.id,
      sha256: pack,
      tagger: { id: builtin.baseModels[0]!.id, sha256: tagger },
    });
    const card = readFileSync(join(artifactDirectory, 'README.md'), 'utf8');
    expect(card).toContain(`| base model | ${ENCODER.id}, sha256 ${pack} |`);
    expect(card).toContain(tagger);
  });

  it('only this base loads the models', async () => {
    const { artifactDirectory } = await train();
    expect(engine.load(baseDirectory, artifactDirectory).evaluate(validation).figures.f1).toBe(1);
    const { directory: builtInDirectory } = builtin.baseModels[0]!;
    expect(() => builtInEngine.load(builtInDirectory, artifactDirectory)).toThrow(ArtifactError);
  });

  it('a class is recognised by words that no row has', async () => {
    const { artifactDirectory } = await train({ train: rows.map(({ text, labels }) => ({ text, labels: labels! })) });
    const { predictions } = engine
      .load(baseDirectory, artifactDirectory)
      .evaluate([{ text: 'Those bananas had gone bad!', labels: ['complain'] }]);
    expect(predictions[0]!.labels).toEqual(['complain']);
  });

  it('training stops between two texts when it is aborted', async () => {
    const stop = new AbortController();
    const texts = Array.from({ length: 2_000 }, (_, at): Example => ({ text: `a text ${at}`, labels: [`${at % 2}`] }));
    const training = train({ train: texts }, undefined, stop.signal);
    setImmediate(() => stop.abort(new Error('stopped')));
    await expect(training).rejects.toThrow('stopped');
    expect(readdirSync(join(directory, 'out'))).toEqual([]);
  });
});
