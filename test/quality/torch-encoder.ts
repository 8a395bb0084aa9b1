/**
 * A trial of a plain text encoder with the torch engine, with the settings that a training job has by default:
 *
 *   node dist/test/quality/torch-encoder.js HEAD lora|full PYTHON WEIGHTS
 *
 * Reads rows as JSON lines from standard input and writes one JSON line of predictions and figures, as other trials do. CPU
 * seconds and memory are those of the engine's Python, which Linux tells.
 */
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { importModel } from '#models/imported/index.js';
import type { Example, TrainingType } from '#gpu-runner/engines/engine.js';
import type { EngineProcess } from '#gpu-runner/engines/torch/process.js';
import { createTorch } from '#gpu-runner/engines/torch/engine.js';
import { startTorch } from '#gpu-runner/engines/torch/python.js';
import { resolveSettings } from '#gpu-runner/engines/torch/settings.js';
import { encoderPredictions } from '#gpu-runner/work/evaluation/encoder-predictions.js';
import type { Head } from './sets.js';
import type { Output } from './trial.js';

const TICKS_A_SECOND = 100;
const WARM_UP_TEXTS = 8;

const [head, trainingType, program, weights] = process.argv.slice(2) as [Head, TrainingType, string, string];
const lines = (await readAll(process.stdin)).trimEnd().split('\n');
const rows = lines.map((line) => JSON.parse(line) as Example & { readonly part: string });
const [train, validation, test] = ['train', 'validation', 'test'].map((part) =>
  rows.filter((row) => row.part === part).map(({ part: _, ...example }): Example => example),
) as [Example[], Example[], Example[]];

let python: EngineProcess | null = null;
let peakKilobytes = 0;
const start = startTorch(program);
const { encoders } = createTorch(async (onMessage) => (python = await start(onMessage)));
const folder = await mkdtemp(join(tmpdir(), 'quality-'));
const signal = new AbortController().signal;
try {
  const baseDirectory = await imported(weights, join(folder, 'models'));
  const { artifactDirectory, seconds } = await trainedOn(baseDirectory, join(folder, 'training'));
  const model = await encoders.load(baseDirectory, artifactDirectory);
  const asked = test.map(({ text }) => ({ text, [head]: head === 'labels' ? model.abilities.classLabels : [] }));
  const predict = (examples: readonly Example[]) => encoderPredictions(model, examples, () => undefined, signal);
  await predict(asked.slice(0, WARM_UP_TEXTS));
  const before = cpuSeconds();
  const predictions = await predict(asked);
  const output: Output = {
    predictions: predictions.map(({ text: _, entityConfidences, labelConfidences, ...prediction }) => {
      const confidences = entityConfidences ?? labelConfidences;
      return { ...prediction, ...(confidences && { confidences }) };
    }),
    train_cpu_seconds: seconds,
    cpu_ms_a_text: (1_000 * (cpuSeconds() - before)) / test.length,
    peak_mb: (peakKilobytes * 1_024) / 1e6,
    model_mb: (await sizeOf(artifactDirectory)) / 1e6,
  };
  console.log(JSON.stringify(output));
} finally {
  await encoders.close();
  await rm(folder, { recursive: true, force: true });
}

async function imported(source: string, models: string): Promise<string> {
  await mkdir(models);
  const steps = importModel(source, { id: 'quality/encoder', licence: 'Apache-2.0' }, models);
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value.folder;
  }
}

async function trainedOn(baseDirectory: string, outputDirectory: string) {
  const labels = new Set(train.flatMap((row) => row.labels ?? []));
  const facts = {
    ...{ trainingType, rows: train.length, multiLabel: false },
    entityRows: head === 'labels' ? 0 : train.length,
    classSizes: [...labels].map(() => train.length / labels.size),
  };
  let seconds = 0;
  const { artifactDirectory } = await encoders.train(
    {
      settings: resolveSettings(facts, {}),
      train,
      validation,
      baseDirectory,
      startFrom: null,
      resumeFrom: null,
      outputDirectory,
    },
    // The process is gone when the training is over.
    () => void (seconds = cpuSeconds()),
    signal,
  );
  return { artifactDirectory, seconds };
}

/** User and system time of the Python process that was started last. */
function cpuSeconds(): number {
  const folder = `/proc/${python!.pid}`;
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`${folder}/status`, 'utf8'))![1];
  peakKilobytes = Math.max(peakKilobytes, Number(kilobytes));
  const fields = readFileSync(`${folder}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(directory, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
