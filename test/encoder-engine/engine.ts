import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { RefusedSchemaError, type EncoderEngine, type LoadedEncoder } from '#gpu-runner/engines/encoder-engine.js';
import {
  TrainingError,
  UnsupportedHeadError,
  type Example,
  type InferRequest,
  type InferResponse,
  type InferResult,
  type ModelAbilities,
} from '#gpu-runner/engines/engine.js';
import { evaluationFigures } from '#gpu-runner/engines/evaluation-figures.js';
import { EngineUnavailableError } from '#gpu-runner/engines/process-model.js';
import { learnedIn, storeLearned } from '../support/test-engine.js';

const MAX_LABELS = 100;

/** Labels by the texts that they were seen on. */
interface Learned {
  readonly entities: Readonly<Record<string, string>> | null;
  readonly classes: Readonly<Record<string, string>> | null;
}
const NOTHING: Learned = { entities: null, classes: null };

/** Learns names and whole texts by heart. Alone, it finds the words that are labels themselves. */
export const encoders: EncoderEngine = {
  async train({ train, validation, settings, startFrom, outputDirectory }, report, signal) {
    if (train.some(({ text }) => text === ''))
      throw new TrainingError('A text is empty, from which nothing can be learned');
    const learned = withRows(startFrom === null ? NOTHING : await learnedIn<Learned>(startFrom), train);
    const predictions = validation.map((row) => predictionOf(learned, row));
    const { f1, ...figures } = evaluationFigures(validation, predictions);
    const validationLoss = 1 - f1;
    for (let epoch = 1; epoch <= settings.epochs; epoch += 1) {
      signal.throwIfAborted();
      const losses = { trainingLoss: 1 / epoch, validationLoss, f1, learningRate: settings.learningRate };
      const isFinal = epoch === settings.epochs;
      const directory = join(outputDirectory, `epoch-${epoch}`);
      await storeLearned(directory, learned);
      await report({ kind: 'epoch', epoch, epochs: settings.epochs, step: epoch, ...losses });
      await report({ kind: 'checkpoint', directory, epoch, step: epoch, isBest: isFinal, isFinal, ...losses });
    }
    const artifactDirectory = join(outputDirectory, 'artifact');
    await storeLearned(artifactDirectory, learned);
    const losses = { finalTrainingLoss: 0, finalValidationLoss: validationLoss, bestValidationLoss: validationLoss };
    return { artifactDirectory, metrics: { f1, ...figures, ...losses }, epochsRun: settings.epochs };
  },

  async load(_baseDirectory, adapterDirectory) {
    return new Memory(adapterDirectory === null ? NOTHING : await learnedIn<Learned>(adapterDirectory));
  },

  async export({ adapterDirectory, outputDirectory }, report) {
    const learned = await learnedIn<Learned>(adapterDirectory);
    report({ kind: 'progress', fraction: 0.5 });
    await storeLearned(outputDirectory, learned);
    return { dtype: 'text', parameters: 2, baseLicence: 'MIT', versions: { memory: '1' } };
  },

  async close() {},
};

class Memory implements LoadedEncoder {
  readonly byteSize: number;
  readonly abilities: ModelAbilities;

  constructor(private readonly learned: Learned) {
    const labelsOf = (names: Learned['entities']) => names && [...new Set(Object.values(names))].toSorted();
    this.byteSize = JSON.stringify(learned).length;
    this.abilities = {
      entityLabels: labelsOf(learned.entities),
      classLabels: labelsOf(learned.classes),
      multiLabel: false,
    };
  }

  async ready(): Promise<void> {}

  async infer({ texts, schema, threshold }: InferRequest, signal: AbortSignal): Promise<InferResponse> {
    await turn();
    signal.throwIfAborted();
    const lacking = (['structures', 'relations'] as const).find((head) => schema[head]);
    if (lacking)
      throw new UnsupportedHeadError(lacking, `the model has no ${lacking} head; it does entities and classes`);
    const { entities = [] } = schema;
    if (entities.length > MAX_LABELS) throw new RefusedSchemaError(`has more than ${MAX_LABELS} labels`);
    if (texts.includes('die')) throw new EngineUnavailableError('its process was lost');
    const known = new Set(Object.values(this.learned.entities ?? {}));
    const unknown = entities.filter(({ name }) => this.learned.entities !== null && !known.has(name));
    return {
      results: texts.map((text) => this.answer(text, schema, threshold ?? 0.5)),
      warnings: unknown.map(({ name: label }) => ({
        ...{ code: 'unresolved_label', message: `${label} was not learned`, label },
      })),
      inputTokens: texts.map((text) => text.split(' ').length),
    };
  }

  async close(): Promise<void> {}

  private answer(text: string, { entities, classifications }: InferRequest['schema'], threshold: number): InferResult {
    const spans = spansIn(text, this.learned, entities?.map(({ name }) => name) ?? []);
    const hits = (name: string) =>
      threshold > 0.9
        ? []
        : spans
            .filter(({ label }) => label === name)
            .map((span) => ({ ...span, text: text.slice(span.start, span.end), confidence: 0.9 }));
    const classOf = (labels: readonly string[]) =>
      labels.find((label) => label === this.learned.classes?.[text] || text.includes(label)) ?? labels[0]!;
    return {
      ...(entities && { entities: Object.fromEntries(entities.map(({ name }) => [name, hits(name)])) }),
      ...(classifications && {
        classifications: Object.fromEntries(
          classifications.map(({ task, labels }) => [task, [{ label: classOf(labels), confidence: 0.9 }]]),
        ),
      }),
      truncated: false,
    };
  }
}

const spansIn = (text: string, { entities }: Learned, labels: readonly string[]) =>
  Object.entries(entities ?? Object.fromEntries(labels.map((label) => [label, label]))).flatMap(([name, label]) => {
    const start = text.indexOf(name);
    return start < 0 ? [] : [{ start, end: start + name.length, label }];
  });

const predictionOf = (learned: Learned, { text, entities, labels }: Example): Example => ({
  text,
  ...(entities && { entities: spansIn(text, learned, []) }),
  ...(labels && { labels: learned.classes?.[text] === undefined ? [] : [learned.classes[text]] }),
});

function withRows({ entities, classes }: Learned, rows: readonly Example[]): Learned {
  const names = rows.flatMap(({ text, entities: spans = [] }) =>
    spans.map(({ start, end, label }) => [text.slice(start, end), label] as const),
  );
  const texts = rows.flatMap(({ text, labels = [] }) => labels.map((label) => [text, label] as const));
  return {
    entities: names.length === 0 ? entities : { ...entities, ...Object.fromEntries(names) },
    classes: texts.length === 0 ? classes : { ...classes, ...Object.fromEntries(texts) },
  };
}
