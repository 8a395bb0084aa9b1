import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskRows } from '#test/support/task-rows.js';
import { TrainingError, type Example, type TrainReport, type TrainRequest } from '../../engine.js';
import { drain } from '../../steps.js';
import { readAdapterArtifact } from '../artifact/index.js';
import { engine } from '../index.js';
import { writeTinyBase } from '../inference/tiny-base.fixture.js';
import { trainSettings } from '../train-settings.fixture.js';

const rows = taskRows().map(({ text, labels: { topic, tone } }): Example => ({
  text,
  tasks: [
    ...(topic === undefined ? [] : [{ task: 'topic', labels: [topic], multiLabel: false }]),
    ...(tone === undefined ? [] : [{ task: 'tone. of letters', labels: tone, multiLabel: true }]),
  ],
}));
const [validation, train] = [rows.filter((_, at) => at % 9 === 0), rows.filter((_, at) => at % 9 !== 0)];
/** The rows of one task, as those of a job that knows no other. */
const alone = (all: readonly Example[], name: string): Example[] =>
  all.flatMap(({ text, tasks }) => {
    const own = tasks!.find(({ task }) => task === name);
    return own ? [{ text, labels: own.labels }] : [];
  });

describe('training of several classification tasks', () => {
  const baseDirectory = mkdtempSync(join(tmpdir(), 'tasks-base-'));
  let directory: string;
  beforeAll(() => writeTinyBase(baseDirectory));
  afterAll(() => rmSync(baseDirectory, { recursive: true }));
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'tasks-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const trained = (name: string, more: Partial<TrainRequest> = {}, reports: TrainReport[] = []) =>
    engine.train(
      {
        ...{ settings: trainSettings(), train, validation, baseDirectory, startFrom: null, resumeFrom: null },
        outputDirectory: join(directory, name),
        ...more,
      },
      (report) => reports.push(report),
      new AbortController().signal,
    );
  const bytesOf = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString('base64')]));
  const headsOf = (folder: string) => readAdapterArtifact(folder, null).heads;

  it('gives the same files for the same rows and seed, also when it is resumed', async () => {
    const reports: TrainReport[] = [];
    const sources = train.map((_, row) => ({ dataset: 0, row, start: row, bytes: 1 }));
    const first = await trained('first', { sources }, reports);
    const [checkpoint] = reports.filter((report) => report.kind === 'checkpoint');
    const resumed = await trained('resumed', { sources, resumeFrom: checkpoint!.directory });
    expect(bytesOf(resumed.artifactDirectory)).toEqual(bytesOf(first.artifactDirectory));
    expect(Object.keys(bytesOf(first.artifactDirectory))).toContain('training_rows.safetensors');
  });

  it('gives each task the weights and figures that it has alone', async () => {
    const { artifactDirectory, metrics } = await trained('all', { settings: trainSettings({ epochs: 1 }) });
    const heads = headsOf(artifactDirectory);
    expect(Object.keys(heads)).toEqual(['classification:tone%2E%20of%20letters', 'classification:topic']);
    for (const [key, name, multiLabel] of [
      ['classification:topic', 'topic', false],
      ['classification:tone%2E%20of%20letters', 'tone. of letters', true],
    ] as const) {
      const single = await trained(name, {
        settings: trainSettings({ epochs: 1, multiLabel }),
        train: alone(train, name),
        validation: alone(validation, name),
      });
      const { config, tensors } = headsOf(single.artifactDirectory)['classification']!;
      expect(heads[key]!.config).toEqual({ ...config, task: name });
      expect(heads[key]!.tensors).toEqual(tensors);
      expect(metrics.heads[name]).toEqual(single.metrics.heads['classification']);
    }
  });

  it('continues a model task by task: others stay as they were', async () => {
    const first = await trained('first');
    const more = alone(train, 'topic').map(({ text, labels }): Example => ({
      text,
      tasks: [{ task: 'topic', labels: labels!, multiLabel: false }],
    }));
    const second = await trained('second', { train: more, validation: [], startFrom: first.artifactDirectory });
    const [before, after] = [headsOf(first.artifactDirectory), headsOf(second.artifactDirectory)];
    expect(Object.keys(after)).toEqual(Object.keys(before));
    const kept = 'classification:tone%2E%20of%20letters';
    expect(after[kept]).toEqual(before[kept]);
    const model = engine.load(baseDirectory, second.artifactDirectory);
    expect(model.abilities.tasks?.map(({ task }) => task)).toEqual(['tone. of letters', 'topic']);
    const labels = ['food', 'work', 'travel'];
    const schema = { classifications: [{ task: 'topic', labels, multiLabel: false }] };
    const { results, warnings } = drain(model.infer({ texts: ['the soup is there'], schema, threshold: null }));
    expect([results[0]!.classifications!['topic']![0]!.label, warnings]).toEqual(['food', []]);
  });

  it('names the task that cannot be learned', async () => {
    const one = train.map(({ text }): Example => ({
      text,
      tasks: [{ task: 'same', labels: ['x'], multiLabel: false }],
    }));
    await expect(trained('one', { train: one, validation: [] })).rejects.toThrow(
      new TrainingError(
        `Task "same": All ${one.length} training rows have the class "x": there is nothing to tell apart. Add rows of at least one other class.`,
      ),
    );
  });
});
