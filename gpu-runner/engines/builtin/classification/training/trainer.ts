import type { TrainSettings } from '../../../engine.js';
import type { HeadState, HeadTrainer, HeadTrainerInput, HeadValidation } from '../../head.js';
import { Random } from '../../random.js';
import type { SentenceEncoder } from '../../text-encoder.js';
import { centredRows, type CentredRows } from './centred-rows.js';
import { buildCorpus, type Corpus } from './corpus.js';
import { crossValidate, type VectorLearner } from './cross-validation.js';
import { GradientLearner } from './gradient-learner.js';
import { exportHead, linearScores, parseHead, requireVectors, type StoredHead } from '../head.js';
import { fitsDense, fitsMemory, marginScores, trainMarginMachine, type MarginMachine } from './margin-machine.js';
import { chooseMixture, mixedMachine, mixedWeights, type JudgedRow, type Judgement } from './mixture.js';
import { nameMachine } from './name-machine.js';
import { encodedRows, rowsToEncode, vectorRows, type VectorRows } from './rows.js';
import { buildVocabulary, type Vocabulary } from '../terms/vocabulary.js';
import { FullWeights, LowRankWeights, type Start, type TrainableWeights } from './weights.js';

/** Above this many rows a term must occur in two. */
const MANY_ROWS = 2000;
/** Keeps training under about half a gigabyte however many labels or ranks there are... */
const MAX_WEIGHTS = 40_000_000;
/** ...and an artifact at a few megabytes however many rows. */
const MAX_TERMS = 131_072;
/** The cost of a violated margin is the ratio of this to the weight decay of a job, within bounds: 1 if it is the default. */
const USUAL_WEIGHT_DECAY = 0.01;
const MIN_COST = 0.1;
const MAX_COST = 10;

/** Relative to that of the machine of terms, of which there are many more. */
const VECTOR_COST = 3;

/**
 * A classifier of tf-idf terms that adds up two linear learners: margin machines, which are solved at once and are hard
 * to beat for few classes, and logistic regression by gradient steps, which generalises better over many classes with
 * few rows each. If the base has vectors of texts, margin machines of those are added. The share of each is chosen on
 * rows that it did not see.
 * @throws TrainingError when no classifier can be trained on the rows
 */
export function createClassificationTrainer(
  input: HeadTrainerInput,
  encoder: SentenceEncoder | null = null,
): HeadTrainer {
  const { settings, startFrom, log, working } = input;
  const earlier = startFrom === null ? null : continuable(parseHead(startFrom), settings, log);
  const corpus = buildCorpus(
    input.train,
    input.validation,
    settings.multiLabel,
    earlier?.labels ?? [],
    settings.labelDescriptions,
  );
  const { described } = corpus;
  if (described.length > 0)
    log(
      `No row has ${described.join(', ')}: learned from ${described.length === 1 ? 'its description' : 'their descriptions'} alone.`,
    );
  const texts = corpus.train.map((row) => row.text);
  const vocabulary = buildVocabulary(
    texts,
    {
      minimumTexts: texts.length > MANY_ROWS ? 2 : 1,
      maximumTerms: Math.min(MAX_TERMS, Math.floor(MAX_WEIGHTS / weightsPerTerm(settings, corpus))),
    },
    earlier?.vocabulary ?? null,
  );
  const classes = corpus.labels.length;
  log(describeWeights(settings, classes, vocabulary.size));
  const rows = vectorRows(corpus.train, vocabulary);
  const start = earlier === null ? null : { weights: earlier.weights, labels: earlier.labels.length };
  const createWeights = (generator: Random) => newWeights(vocabulary, corpus, settings, start, generator);
  // A continued model has learned from rows that are not here: a machine of these rows alone would contradict it.
  const isSolvable = start === null && fitsMemory(vocabulary.size, classes, rows.count);
  const createMachine = (some: VectorRows, generator: Random) =>
    isSolvable ? trainMarginMachine(some, vocabulary.size, classes, costOf(settings), generator) : null;
  const vectors = encoder && vectorLearner(corpus, encoder, settings, earlier, log);
  const inner = vectors && encoder.inner && innerLearner(corpus, encoder.inner, settings, earlier);
  const examples = corpus.train.length - corpus.names;
  const terms = vocabulary.size;
  const foretold =
    start === null
      ? crossValidate({
          rows,
          examples,
          terms,
          classes,
          settings,
          createWeights,
          createMachine,
          vectors,
          inner,
          working,
        })
      : null;
  const judged =
    input.validation === input.train ? { ...corpus, validation: judgedOf(corpus, foretold, vectors) } : corpus;
  const machine = createMachine(rows, new Random(settings.seed));
  const random = new Random(settings.seed);
  return new ClassificationTrainer(
    settings,
    judged,
    vocabulary,
    machine,
    vectors &&
      encoder && {
        machine: vectors.createMachine(vectors.rows, new Random(settings.seed)),
        names: vectors.names,
        encoder,
        inner: inner &&
          encoder.inner && {
            machine: inner.uncentred(inner.createMachine(inner.rows, new Random(settings.seed))),
            encoder: encoder.inner,
          },
      },
    foretold,
    rows,
    createWeights(random),
    random,
    foretold !== null || input.validation !== input.train,
  );
}

/**
 * Learns from the vectors of the rows; a continued model changes as little as they require.
 * @returns null if the rows have too many classes, or are too many to gain from vectors, or the continued model has
 * none: a machine of these rows alone would vote against classes that they do not contain
 */
function vectorLearner(
  { labels, train, names }: Corpus,
  encoder: SentenceEncoder,
  settings: TrainSettings,
  continued: StoredHead | null,
  log: HeadTrainerInput['log'],
): VectorLearner | null {
  const dimensions = encoder.sentenceDimensions;
  const examples = train.slice(0, train.length - names);
  const earlier = continued?.vectors ?? null;
  if (continued !== null && earlier === null) return null;
  // A continued model keeps what it learned from vectors.
  if (earlier === null && encoder.usefulRows !== null && examples.length > encoder.usefulRows) return null;
  const encoded = rowsToEncode(examples);
  if (!fitsDense(dimensions, labels.length, encoded.length + names)) {
    log(
      `Vectors are not learned from: ${labels.length} classes of ${encoded.length} rows would take too much memory or time.` +
        (earlier ? ' What the earlier model learned from them is left out.' : ''),
    );
    return null;
  }
  if (earlier) requireVectors(earlier, encoder);
  const start = earlier && widenedMachine(earlier.machine, labels.length);
  const cost = VECTOR_COST * costOf(settings);
  if (encoded.length < examples.length)
    log(`Vectors are learned from ${encoded.length} of the ${examples.length} rows, terms from all of them.`);
  return {
    names:
      continued === null && settings.labelDescriptions
        ? nameMachine(labels, new Map(Object.entries(settings.labelDescriptions)), encoder)
        : null,
    rows: encodedRows([...encoded, ...train.slice(examples.length)], encoder),
    createMachine: (some, random) => trainMarginMachine(some, dimensions, labels.length, cost, random, start),
  };
}

/**
 * Learns from the vectors of the encoder's inner layer, of the rows that `vectorLearner` takes.
 * @returns null if the continued model has none
 */
function innerLearner(
  { labels, train, names }: Corpus,
  encoder: SentenceEncoder,
  settings: TrainSettings,
  continued: StoredHead | null,
): (VectorLearner & Pick<CentredRows, 'uncentred'>) | null {
  const earlier = continued?.innerVectors ?? null;
  if (continued !== null && earlier === null) return null;
  if (earlier) requireVectors(earlier, encoder);
  const examples = train.length - names;
  const learned = [...rowsToEncode(train.slice(0, examples)), ...train.slice(examples)];
  const dimensions = encoder.sentenceDimensions;
  const { rows, uncentred, centred } = centredRows(encodedRows(learned, encoder), dimensions);
  const start = earlier && centred(widenedMachine(earlier.machine, labels.length));
  const cost = VECTOR_COST * costOf(settings);
  return {
    names: null,
    rows,
    createMachine: (some, random) => trainMarginMachine(some, dimensions, labels.length, cost, random, start),
    uncentred,
  };
}

/** Rows to judge weights by: none if cross-validation judges better, and only as many as are encoded. */
function judgedOf({ validation }: Corpus, foretold: unknown, vectors: VectorLearner | null): Corpus['validation'] {
  if (foretold !== null) return [];
  return vectors === null ? validation : rowsToEncode(validation);
}

/** The machine for more classes, which come last: nothing speaks for those yet. */
function widenedMachine({ weights, bias }: MarginMachine, classes: number): MarginMachine {
  const wide = new Float32Array((weights.length / bias.length) * classes);
  for (let row = 0; row * bias.length < weights.length; row++)
    wide.set(weights.subarray(row * bias.length, (row + 1) * bias.length), row * classes);
  const wideBias = new Float32Array(classes);
  wideBias.set(bias);
  return { weights: wide, bias: wideBias };
}

function costOf({ weightDecay }: TrainSettings): number {
  return Math.min(MAX_COST, Math.max(MIN_COST, USUAL_WEIGHT_DECAY / weightDecay));
}

function continuable(earlier: StoredHead, settings: TrainSettings, log: HeadTrainerInput['log']): StoredHead | null {
  if (earlier.multiLabel === settings.multiLabel) return earlier;
  log('The earlier classifier was for another label mode (one or several labels a row): starting afresh.');
  return null;
}

function weightsPerTerm({ trainingType, loraR }: TrainSettings, { labels }: Corpus): number {
  return trainingType === 'full' ? labels.length : effectiveRank(loraR, labels.length);
}

function newWeights(
  vocabulary: Vocabulary,
  { labels }: Corpus,
  { trainingType, loraR, loraAlpha }: TrainSettings,
  start: Start | null,
  random: Random,
): TrainableWeights {
  if (trainingType === 'full') return new FullWeights(vocabulary.size, labels.length, start);
  const rank = effectiveRank(loraR, labels.length);
  return new LowRankWeights(vocabulary.size, labels.length, { rank, scale: loraAlpha / loraR / 2 }, start, random);
}

function describeWeights({ trainingType, loraR }: TrainSettings, classes: number, terms: number): string {
  const described = `Classification: ${classes} classes over ${terms} terms`;
  if (trainingType === 'full') return `${described}, full weights.`;
  const rank = effectiveRank(loraR, classes);
  return rank === loraR
    ? `${described}, rank ${rank}.`
    : `${described}, rank ${rank} (lora_r ${loraR}, raised for the number of classes).`;
}

/**
 * The rank of a classification head under LoRA. Here there is no pretrained matrix under the product, so that many
 * classes need more directions than an adapter's rank: up to three times `loraR`, but no more than there are classes.
 */
export function effectiveRank(loraR: number, labels: number): number {
  return Math.max(loraR, Math.min(3 * loraR, labels));
}

/** The machines that score the vector of a text, and the encoder that makes it. */
interface Vectors extends Pick<VectorLearner, 'names'> {
  readonly machine: MarginMachine;
  readonly encoder: SentenceEncoder;
  /** The same of the inner layer; null if that is not learned from. */
  readonly inner: Pick<Vectors, 'machine' | 'encoder'> | null;
}

class ClassificationTrainer implements HeadTrainer {
  readonly stepsPerEpoch: number;
  /** A sample of the rows is read by vectors if they are very many, of which the log tells. */
  readonly rowsWithVectors = null;
  private readonly learner: GradientLearner;
  /** Rows of validation that were not trained on. */
  private readonly validation: readonly Omit<JudgedRow, 'gradient'>[];
  private readonly validationVectors: VectorRows;
  /** Judgement of the present weights; null when not judged since the last step. */
  private judgement: Judgement | null = null;

  constructor(
    private readonly settings: TrainSettings,
    private readonly corpus: Corpus,
    private readonly vocabulary: Vocabulary,
    private readonly machine: MarginMachine | null,
    private readonly vectors: Vectors | null,
    private readonly foretold: readonly (readonly JudgedRow[])[] | null,
    rows: VectorRows,
    weights: TrainableWeights,
    private readonly random: Random,
    private readonly isHeldOut: boolean,
  ) {
    this.learner = new GradientLearner(settings, rows, corpus.labels.length, weights, random);
    this.stepsPerEpoch = this.learner.stepsPerEpoch;
    this.validationVectors = vectorRows(corpus.validation, vocabulary);
    const encoded = vectors && encodedRows(corpus.validation, vectors.encoder);
    const inner = vectors?.inner ?? null;
    const byInner = inner && encodedRows(corpus.validation, inner.encoder);
    this.validation = corpus.validation.map(({ labels: gold }, row) => ({
      margin: machine === null ? null : marginScores(machine, this.validationVectors.vector(row)),
      vector: vectors && marginScores(vectors.machine, encoded!.vector(row)),
      inner: inner && marginScores(inner.machine, byInner!.vector(row)),
      name: vectors?.names ? marginScores(vectors.names, encoded!.vector(row)) : null,
      gold,
    }));
  }

  step(): number {
    this.judgement = null;
    return this.learner.step();
  }

  validate(): HeadValidation {
    const { loss, f1 } = this.judge();
    return { loss, f1, isHeldOut: this.isHeldOut };
  }

  exportModel(): HeadState {
    const { mixture, temperature, decisionPoint } = this.judge();
    const weights = this.learner.weights.toLinear();
    return exportHead({
      labels: this.corpus.labels,
      multiLabel: this.settings.multiLabel,
      temperature,
      decisionPoint,
      vocabulary: this.vocabulary,
      weights: mixedWeights(weights, this.machine, mixture),
      vectors:
        this.vectors && mixture.vector + mixture.name > 0
          ? {
              of: this.vectors.encoder.sentenceVectors,
              ...mixedMachine(this.vectors.machine, this.vectors.names, mixture),
            }
          : null,
      innerVectors:
        this.vectors?.inner && mixture.inner > 0
          ? {
              of: this.vectors.inner.encoder.sentenceVectors,
              machine: this.vectors.inner.machine,
              factor: mixture.inner,
            }
          : null,
    });
  }

  saveState(): HeadState {
    const { config, tensors } = this.learner.saveState();
    return { config, tensors: { ...tensors, random: this.random.save() } };
  }

  restoreState(state: HeadState): void {
    this.judgement = null;
    this.learner.restoreState(state);
    this.random.restore(state.tensors['random']!);
  }

  /** The present weights on the validation rows, pooled with what cross-validation found after this epoch. */
  private judge(): Judgement {
    return (this.judgement ??= chooseMixture(
      [...this.scoreValidation(), ...(this.foretold?.[this.learner.epoch - 1] ?? [])],
      this.settings.multiLabel,
    ));
  }

  private scoreValidation(): JudgedRow[] {
    const linear = this.learner.weights.toLinear();
    return this.validation.map((judged, row) => ({
      gradient: linearScores(linear, this.validationVectors.vector(row)),
      ...judged,
    }));
  }
}
