import type { DatasetPin, TrainingConfiguration } from '#domain/training-job/index.js';
import type {
  DecoderTrainSettings,
  Example,
  RowSource,
  TrainReport,
  TrainRequest,
  TrainResult,
} from '#gpu-runner/engines/engine.js';
import type { ChatExample, DecoderTrainRequest, PreferenceExample } from '#gpu-runner/engines/decoder-engine.js';
import { promptTextOf, readChats, readPreferences, textOfPrompt } from '../rows/chats.js';
import { readExamples } from '../rows/examples.js';
import { UNMEASURED } from '../evaluation/figures.js';
import { corrected } from '../rows/held-out.js';
import type { AttemptObjects } from '../patient-objects.js';
import type { PinnedEngine } from '../pinned-engine.js';

type RequestOf<Row> = Omit<TrainRequest, 'train' | 'validation' | 'sources' | 'baseDirectory' | 'settings'> & {
  readonly settings: DecoderTrainSettings;
  readonly train: readonly Row[];
  readonly validation: readonly Row[];
};

/** Differences between the training of models that label texts and of those that generate some. */
export interface Learning<Row> {
  /** @param first index of the first of these datasets among those of the job */
  read(store: AttemptObjects, datasets: readonly DatasetPin[], first: number): Promise<readonly Row[]>;
  /** The input of a row: rows with the same one overlap. */
  textOf(row: Row): string;
  /** A row that later ones correct. */
  corrected?(row: Row, later: readonly Row[]): Row;
  /** Whether the weights are judged by F1, or by their loss alone. */
  readonly hasF1: boolean;
  train(
    request: RequestOf<Row>,
    report: (report: TrainReport) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<TrainResult>;
}

export function encoderLearning({
  engine,
  baseDirectory,
}: Extract<PinnedEngine, { kind: 'encoder' }>): Learning<Example> {
  const sources = new Map<Example, RowSource>();
  return {
    read: (store, datasets, first) => readExamples(store, datasets, { sources, first }),
    textOf: ({ text }) => text,
    corrected(row, later) {
      const both = corrected(row, later);
      // Explanations show the row with the class.
      sources.set(both, sources.get(later.findLast(({ labels }) => labels) ?? row)!);
      return both;
    },
    hasF1: true,
    train: (request, report, signal) =>
      engine.train(
        { ...request, baseDirectory, sources: request.train.map((row) => sources.get(row)!) },
        (told) => void report(told),
        signal,
      ),
  };
}

export function encoderProcessLearning({
  engine,
  baseDirectory,
}: Extract<PinnedEngine, { kind: 'encoder-process' }>): Learning<Example> {
  const sources = new Map<Example, RowSource>();
  return {
    read: (store, datasets, first) => readExamples(store, datasets, { sources, first }),
    textOf: ({ text }) => text,
    hasF1: true,
    async train(request, report, signal) {
      const located = { ...request, baseDirectory, sources: request.train.map((row) => sources.get(row)!) };
      try {
        return await engine.train(located, report, signal);
      } finally {
        await engine.close();
      }
    },
  };
}

type PinnedDecoder = Extract<PinnedEngine, { kind: 'decoder' }>;

export const chatLearning = (pinned: PinnedDecoder): Learning<ChatExample> => ({
  read: readChats,
  textOf: promptTextOf,
  hasF1: false,
  train: (request, report, signal) => trainDecoder(pinned, { kind: 'chats', ...request }, report, signal),
});

export const preferenceLearning = (pinned: PinnedDecoder): Learning<PreferenceExample> => ({
  read: readPreferences,
  textOf: ({ prompt }) => textOfPrompt(prompt),
  hasF1: false,
  train: (request, report, signal) => trainDecoder(pinned, { kind: 'preferences', ...request }, report, signal),
});

async function trainDecoder(
  { engine, baseDirectory }: PinnedDecoder,
  rows: DistributedOmit<DecoderTrainRequest, 'baseDirectory'>,
  report: (report: TrainReport) => void | Promise<void>,
  signal: AbortSignal,
): Promise<TrainResult> {
  try {
    const result = await engine.train({ ...rows, baseDirectory }, report, signal);
    return { ...result, metrics: { ...UNMEASURED, ...result.metrics } };
  } finally {
    await engine.close();
  }
}

/** The settings that an engine knows: which rows are held out is decided before. */
export function engineSettings({
  validationShare: _share,
  splitSeed: _seed,
  splitGroups: _groups,
  splitByTextFrom: _byText,
  splitWholeGroup: _whole,
  splitCorrectsFrom: _corrects,
  ...settings
}: TrainingConfiguration): DecoderTrainSettings {
  return settings;
}

/** `Omit` of each member of a union. */
type DistributedOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;
