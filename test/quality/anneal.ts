/**
 * A trial of a model of this project, with the settings that a training job has by default:
 *
 *   node dist/test/quality/anneal.js HEAD BASE_MODEL lora|full
 *
 * Reads rows as JSON lines from standard input and writes one JSON line of predictions and figures, as the baselines do.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Example, InferResult, LoadedModel, TrainingType } from '#gpu-runner/engines/engine.js';
import { drain } from '#gpu-runner/engines/steps.js';
import type { Prediction } from './scoring.js';
import type { Head } from './sets.js';
import { loaded, trainedOn } from './trained.js';
import type { Output } from './trial.js';

const WARM_UP_TEXTS = 100;
const TASK = 'label';

const [head, id, trainingType] = process.argv.slice(2) as [Head, string, TrainingType];

const lines = (await readAll(process.stdin)).trimEnd().split('\n');
const rows = lines.map((line) => JSON.parse(line) as Example & { readonly part: string });
const [train, validation, test] = ['train', 'validation', 'test'].map((part) =>
  rows.filter((row) => row.part === part).map(({ part: _, ...example }): Example => example),
) as [Example[], Example[], Example[]];

const described = process.env['LABEL_DESCRIPTIONS'];
const descriptions = described === undefined ? undefined : (JSON.parse(described) as Record<string, string>);
const folder = mkdtempSync(join(tmpdir(), 'quality-'));
try {
  const [artifact, trainCpu] = await cpuSecondsOf(() =>
    trainedOn(id, { head, trainingType, train, validation, descriptions, outputDirectory: folder }),
  );
  const model = await loaded(id, artifact);
  predict(model, test.slice(0, WARM_UP_TEXTS));
  const [predictions, predictCpu] = await cpuSecondsOf(() => predict(model, test));
  const output: Output = {
    predictions,
    train_cpu_seconds: trainCpu,
    cpu_ms_a_text: (1_000 * predictCpu) / test.length,
    peak_mb: (process.resourceUsage().maxRSS * 1_024) / 1e6,
    model_mb: readdirSync(artifact).reduce((sum, name) => sum + statSync(join(artifact, name)).size, 0) / 1e6,
  };
  console.log(JSON.stringify(output));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Under the labels that the model learned: it is not told those that only test rows have. */
function predict(model: LoadedModel, examples: readonly Example[]): readonly Prediction[] {
  if (head === 'structures' || head === 'relations')
    return model.evaluate(examples.map(({ text }) => ({ text, [head]: [] }))).predictions;
  const { entityLabels, classLabels } = model.abilities;
  const schema =
    head === 'entities'
      ? { entities: (entityLabels ?? []).map((name) => ({ name })) }
      : { classifications: [{ task: TASK, labels: classLabels ?? [], multiLabel: false }] };
  const texts = examples.map(({ text }) => text);
  return drain(model.infer({ texts, schema, threshold: null })).results.map(
    head === 'entities' ? entitiesOf : labelsOf,
  );
}

function entitiesOf({ entities = {} }: InferResult): Prediction {
  const hits = Object.values(entities).flat();
  return {
    entities: hits.map(({ start, end, label }) => ({ start, end, label })),
    confidences: hits.map(({ confidence }) => confidence),
  };
}

function labelsOf({ classifications = {} }: InferResult): Prediction {
  const hits = classifications[TASK] ?? [];
  return { labels: hits.map(({ label }) => label), confidences: hits.map(({ confidence }) => confidence) };
}

/** CPU time of all threads. */
async function cpuSecondsOf<T>(work: () => T | Promise<T>): Promise<readonly [result: T, seconds: number]> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1e6];
}
