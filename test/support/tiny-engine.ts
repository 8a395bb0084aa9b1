import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  TrainingError,
  type Engine,
  type EvaluationFigures,
  type Example,
  type TrainReport,
  type TrainRequest,
} from '#gpu-runner/engines/engine.js';

/**
 * A deterministic engine that learns nothing: its weights are a hash of what it was given, its checkpoints hold all that it
 * needs to go on.
 */
export const engine = commanded({
  learn: () => null,
  load: () => ({
    abilities: { entityLabels: null, classLabels: null, multiLabel: false },
    byteSize: 0,
    infer: function* () {
      return { results: [], warnings: [], inputTokens: [] };
    },
    evaluate: (examples) => ({ figures: perfect, predictions: examples }),
  }),
});

/**
 * An engine whose training and evaluations are directed by rows whose text begins with a command:
 * `wait <epoch> <file>`: before that epoch (an evaluation: as before the first) it waits until the file exists; `fail`: the data cannot be learned from;
 * `crash`: its process ends without a word; `full <epoch> <file>`: its disk is full in that epoch until the file exists;
 * `hang <epoch> <file>`: its process hangs before that epoch, unless the file exists; `work <epoch> <file>`: it works there until it does.
 * @param learn what the rows teach, which `load` finds as JSON in `learned.json` of the artifact and of each checkpoint; null: nothing
 */
export function commanded(of: {
  readonly learn: (rows: readonly Example[]) => unknown;
  readonly load: Engine['load'];
}): Engine {
  const load: Engine['load'] = (baseDirectory, adapterDirectory) => {
    const model = of.load(baseDirectory, adapterDirectory);
    return {
      ...model,
      evaluate(examples, onExample) {
        for (const file of filesAwaitedBefore(examples, 1)) while (!existsSync(file)) blockFor(5);
        return model.evaluate(examples, onExample);
      },
    };
  };
  return {
    async train(request, report, signal) {
      const { settings, train, validation, baseDirectory, outputDirectory } = request;
      if (train.some(({ text }) => text.startsWith('fail'))) throw new TrainingError('The rows say nothing.');
      if (train.some(({ text }) => text.startsWith('crash'))) process.exit(7);
      const learned = of.learn(train);
      const writeLearned = (directory: string) =>
        learned === null || write(directory, 'learned.json', JSON.stringify(learned));
      let state = beginning(request);
      while (state.epoch < settings.epochs) {
        await reached(train, state.epoch + 1, report, signal);
        const epoch = state.epoch + 1;
        requireRoom(train, epoch);
        state = { epoch, weights: hash(`${state.weights}/${epoch}`) };
        const loss = 1 / epoch;
        const told = {
          epoch,
          step: epoch * 10,
          trainingLoss: loss,
          validationLoss: loss,
          f1: 1 - loss,
          learningRate: 0.1,
        };
        report({ kind: 'log', level: 'info', message: `learned ${state.weights.slice(0, 8)}` });
        report({ kind: 'epoch', epochs: settings.epochs, ...told });
        const directory = join(outputDirectory, `checkpoint-${epoch}`);
        write(directory, 'weights.txt', state.weights);
        writeLearned(directory);
        write(directory, 'training_state.json', JSON.stringify(state));
        report({ kind: 'checkpoint', directory, ...told, isBest: true, isFinal: epoch === settings.epochs });
        report({ kind: 'progress', fraction: epoch / settings.epochs, epoch, step: told.step });
      }
      const artifactDirectory = join(outputDirectory, 'artifact');
      write(artifactDirectory, 'weights.txt', state.weights);
      writeLearned(artifactDirectory);
      const { figures } = of.load(baseDirectory, artifactDirectory).evaluate(validation);
      const losses = { finalTrainingLoss: 0.1, finalValidationLoss: 0.1, bestValidationLoss: 0.1 };
      return { artifactDirectory, metrics: { ...figures, ...losses }, epochsRun: settings.epochs };
    },
    load,
  };
}

interface State {
  readonly epoch: number;
  readonly weights: string;
}

const perfect: EvaluationFigures = {
  f1: 1,
  precision: 1,
  recall: 1,
  macroF1: 1,
  accuracy: 1,
  perLabel: { person: { f1: 1, precision: 1, recall: 1, support: 3 } },
  heads: {},
};

function beginning({ resumeFrom, settings, train, validation }: TrainRequest): State {
  if (resumeFrom) return JSON.parse(readFileSync(join(resumeFrom, 'training_state.json'), 'utf8')) as State;
  return { epoch: 0, weights: hash(JSON.stringify([settings, withoutCommands(train), validation.length])) };
}

/** Waiting, or a full disk, must not change what a run learns. */
const withoutCommands = (rows: readonly Example[]) =>
  rows.filter(({ text }) => !/^(?:wait|full|hang|work) /.test(text));

function requireRoom(rows: readonly Example[], epoch: number): void {
  for (const { text } of rows) {
    const [command, at, file] = text.split(' ');
    if (command === 'full' && Number(at) === epoch && !existsSync(file!))
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  }
}

async function reached(
  rows: readonly Example[],
  epoch: number,
  report: (report: TrainReport) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const { text } of rows) {
    const [command, at, file] = text.split(' ');
    if (Number(at) !== epoch || file === undefined) continue;
    if (command === 'hang' && !existsSync(file)) blockFor(Infinity);
    while (['wait', 'work'].includes(command!) && !existsSync(file)) {
      if (command === 'work') report({ kind: 'working' });
      await sleep(5, undefined, { signal });
    }
  }
  await sleep(0, undefined, { signal });
}

const filesAwaitedBefore = (rows: readonly Example[], epoch: number): readonly string[] =>
  rows.flatMap(({ text }) => {
    const [command, at, file] = text.split(' ');
    return command === 'wait' && Number(at) === epoch && file !== undefined ? [file] : [];
  });

const blockFor = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function write(directory: string, name: string, content: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), content);
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
