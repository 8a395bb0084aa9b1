import { TrainingError, type Example } from '../../../engine.js';
import type { Steps } from '../../../steps.js';
import type { FeatureDictionary } from '../../features/dictionary.js';
import { FeatureExtractor, FEATURE_VERSION } from '../../features/extractor.js';
import { MAX_JUDGED_TOKENS } from '../../limits.js';
import type { HeadState, HeadTrainer, HeadTrainerInput, HeadValidation } from '../../head.js';
import { Random } from '../../random.js';
import { alignSpans } from '../../text/alignment.js';
import type { TextEncoder } from '../../text-encoder.js';
import { createAdapterWeights, exportAdapterWeights, loraScale, type AdapterWeights } from './adapter-weights.js';
import { AveragedLearner, type Member } from './averaged-learner.js';
import type { Token } from '#primitives/text/tokens.js';
import type { BaseTagger } from '../base-tagger.js';
import { chooseDecisionPoint, f1At } from '../calibration.js';
import { crossValidate, priorWeightFor, type CrossValidation } from './cross-validation.js';
import { EarlierHead } from '../earlier-head.js';
import { CrfLearner, poolJudgements, type RowsJudgement } from './learner.js';
import { learningRateFactor, learningRateRatio } from './learning-rate.js';
import { BasePrior } from '../prior.js';
import { compileKnown, compileTraining, type AlignmentCounts, type CompiledRows } from './rows.js';
import { labelledSegments } from './labelled-segments.js';
import { SpanStacker, stackEarlier, type StackedSpans } from './span-stacker.js';
import type { SpanVectors } from '../spans/span-vectors.js';
import { joinStates, partOfState } from '../states.js';
import { tagCount } from '../lattice/tags.js';
import { rowsWithVectors, WordVectors } from '../word-vectors.js';

/** Label -> names of its base types; none when the base does not know it. */
export type LabelResolver = (label: string) => readonly string[];

/** Temperatures to try; the first of equals stays. */
const TEMPERATURES = [1, 0.8, 1.3, 1.6];
/** Factors on the base's opinion, tried if rows are few enough. */
const PRIOR_WEIGHTS = [0.5, 1, 1.5];
/** Above this number of rows, the rows themselves suffice, and none are tried. */
const ROWS_FOR_NO_SEARCH = 5000;
const PRIOR_WEIGHT_OF_MANY = 0.25;
/** Dense weights (and as many AdaGrad sums) that training may hold: 4 bytes each. */
const MAX_WEIGHTS = 40_000_000;
/** Above this number of rows, features seen once are left out. */
const ROWS_FOR_MINIMUM_COUNT = 2000;
/** Full weights are the mean of as many trainings, up to this number of rows: from more, trainings learn nearly the same. */
const AVERAGED = 3;
const MAX_AVERAGED_ROWS = 2000;
const TRANSITION_RATES = { full: 0.002, lora: 0.01 } as const;

/**
 * Trainer of an entity head over the base.
 * @param resolve which base types stand for a label (the prior); default: types whose name equals the label's, without case
 *   and separators
 * @param encoder whose vectors of words are learned from beside the features; null for none
 * @throws TrainingError when no row is labelled for entities, or none holds an entity
 */
export function* createEntityTrainer(
  input: HeadTrainerInput,
  base: BaseTagger,
  resolve?: LabelResolver,
  encoder: TextEncoder | null = null,
): Steps<HeadTrainer> {
  return new EntityTrainer(input, yield* read(input, base, resolve ?? sameName(base.labels), encoder));
}

function sameName(types: readonly string[]): LabelResolver {
  const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return (label) => types.filter((type) => plain(type) === plain(label));
}

/** The rows of a job as numbers, and what is learned from beside them. */
interface ReadRows {
  readonly labels: readonly string[];
  readonly prior: BasePrior;
  /** Null if surface forms alone are learned. */
  readonly words: WordVectors | null;
  readonly dictionary: FeatureDictionary;
  readonly train: CompiledRows;
  readonly validation: CompiledRows;
  readonly earlier: EarlierHead | null;
}

function* read(
  { settings, log, startFrom, ...input }: HeadTrainerInput,
  base: BaseTagger,
  resolve: LabelResolver,
  encoder: TextEncoder | null,
): Steps<ReadRows> {
  const train = input.train.filter((row) => row.entities !== undefined);
  const validation = input.validation.filter((row) => row.entities !== undefined);
  const earlier = startFrom && new EarlierHead(startFrom, loraScale(settings), encoder);
  const shown = labelsOf([...train, ...validation]);
  if (train.length === 0 || shown.length === 0) {
    throw new TrainingError('No training row is labelled with an entity: there is nothing to learn.');
  }
  const labels = sorted([...shown, ...(earlier?.labels ?? [])]);
  const prior = new BasePrior(
    labels.map((label) =>
      resolve(label).flatMap((type) => (base.labels.includes(type) ? [base.labels.indexOf(type)] : [])),
    ),
    base.labels.length,
  );
  const words = encoder && (earlier?.words ?? (yield* WordVectors.fit(encoder, segmentsOf(train))));
  const context = {
    labels,
    extractor: new FeatureExtractor(base.gazetteer),
    base,
    prior: prior.isEmpty ? null : prior,
    words,
  };
  const counts: AlignmentCounts = { flattened: 0, empty: 0, cutTokens: 0 };
  const width = settings.trainingType === 'full' ? tagCount(labels.length) : settings.loraR;
  const minimumCount = train.length > ROWS_FOR_MINIMUM_COUNT ? 2 : 1;
  const known = earlier?.dictionaries ?? [];
  const { rows, dictionary } = yield* compileTraining(train, context, minimumCount, counts, MAX_WEIGHTS / width, known);
  const fits = words && rowsWithVectors(validation, MAX_JUDGED_TOKENS);
  const judged =
    input.validation === input.train
      ? rows
      : yield* compileKnown(fits ? validation.filter((_, at) => fits[at]) : validation, context, dictionary, counts);
  report(counts, log);
  if (rows.vectors && rows.vectors.rows < train.length)
    log(
      `The meaning of words is learned from ${rows.vectors.rows} of ${train.length} rows: more do not fit in memory.`,
    );
  return { labels, prior, words, dictionary, train: rows, validation: judged, earlier };
}

class EntityTrainer implements HeadTrainer {
  readonly stepsPerEpoch: number;
  readonly rowsWithVectors: number | null;
  private readonly priorWeight: number;
  private readonly crossValidation: CrossValidation | null;
  /** Null without vectors of words, or without cross-validation: from many rows, and in a job that continues. */
  private readonly stacker: SpanStacker | null;
  private readonly earlierSpans: SpanVectors | null;
  private readonly learner: AveragedLearner;
  private readonly totalSteps: number;
  private stepsDone = 0;
  /** Judgements of the present weights on validation, for each of `TEMPERATURES`; null when not judged since the last step. */
  private judgements: readonly RowsJudgement[] | null = null;

  constructor(
    private readonly input: HeadTrainerInput,
    private readonly read: ReadRows,
  ) {
    const { settings } = input;
    const { labels, prior, words, dictionary, train, earlier } = read;
    this.rowsWithVectors = train.vectors && train.vectors.rows < train.rowCount ? train.vectors.rows : null;
    const createWeights = (random: Random) =>
      createAdapterWeights(settings, dictionary, labels, random, earlier, words?.dimensions ?? 0);
    const createLearner = (weights: AdapterWeights, rows: CompiledRows, priorWeight: number, random: Random) =>
      new CrfLearner({
        labels: labels.length,
        weights,
        train: rows,
        batchSize: settings.batchSize,
        dropout: settings.loraDropout,
        priorWeight,
        transitionRate: TRANSITION_RATES[settings.trainingType],
        random,
      });
    // A continued model may have learned from these rows, so its results on them would be too good.
    const search = {
      rows: train,
      priorWeights: prior.isEmpty ? [0] : PRIOR_WEIGHTS,
      settings,
      working: input.working,
      createLearner: (rows: CompiledRows, priorWeight: number, random: Random) =>
        createLearner(createWeights(random), rows, priorWeight, random),
    };
    this.crossValidation = earlier === null ? crossValidate(search) : null;
    this.priorWeight = prior.isEmpty
      ? 0
      : (earlier?.priorWeight ??
        this.crossValidation?.priorWeight ??
        (train.rowCount > ROWS_FOR_NO_SEARCH ? PRIOR_WEIGHT_OF_MANY : train.rowCount > 1 ? priorWeightFor(search) : 1));
    // The first epoch shows the most that may be mistaken for an entity.
    this.stacker =
      this.crossValidation &&
      words &&
      new SpanStacker(
        this.crossValidation.segments(1, 1),
        words.dimensions,
        labels.length,
        settings.seed,
        input.working,
      );
    this.earlierSpans = earlier?.spansUnder(labels) ?? null;
    const memberOf = (seed: number): Member => {
      const random = new Random(seed);
      const weights = createWeights(random);
      const learner = createLearner(weights, train, this.priorWeight, random);
      earlier?.carryTransitions(learner.transitions, labels);
      return { weights, learner, random };
    };
    const isAveraged =
      settings.trainingType === 'full' &&
      train.rowCount <= MAX_AVERAGED_ROWS &&
      AVERAGED * dictionary.size * tagCount(labels.length) <= MAX_WEIGHTS;
    const others = Array.from({ length: isAveraged ? AVERAGED - 1 : 0 }, (_, k) => memberOf(settings.seed + 1 + k));
    this.learner = new AveragedLearner([memberOf(settings.seed), ...others], (weights) =>
      createLearner(weights, train, this.priorWeight, new Random(settings.seed)),
    );
    this.stepsPerEpoch = this.learner.stepsPerEpoch;
    this.totalSteps = this.stepsPerEpoch * settings.epochs;
  }

  step(): number {
    const { settings } = this.input;
    this.judgements = null;
    const factor = learningRateFactor(settings.scheduler, this.stepsDone++, this.totalSteps, settings.warmupRatio);
    return this.learner.step(factor * learningRateRatio(settings));
  }

  validate(): HeadValidation {
    const [judgement] = this.judge();
    const { train, validation } = this.input;
    const isHeldOut = validation !== train || this.crossValidation !== null;
    return { loss: judgement!.loss, f1: f1At(judgement!, chooseDecisionPoint(judgement!)), isHeldOut };
  }

  /**
   * The present weights on the validation rows, pooled with the cross-validation of this epoch. Rows that were trained
   * on as well add nothing to it.
   */
  private judge(): readonly RowsJudgement[] {
    return (this.judgements ??= this.judgeNow());
  }

  private judgeNow(): readonly RowsJudgement[] {
    const { train, validation } = this.input;
    const foretold = this.crossValidation?.after(this.epoch, TEMPERATURES);
    if (foretold !== undefined && validation === train) return foretold;
    const judged = this.learner.trained().learner.judge(this.read.validation, TEMPERATURES);
    return foretold === undefined ? judged : judged.map((part, at) => poolJudgements([part, foretold[at]!]));
  }

  exportModel(): HeadState {
    const { labels, prior, dictionary } = this.read;
    const { weights, learner } = this.learner.trained();
    const parts = exportAdapterWeights(weights, dictionary);
    const words = joinStates(this.read.words ? { words: this.read.words.state() } : {});
    const transitions = learner.transitions.slice();
    const { spans, ...calibrated } = this.calibrate();
    const spanParts = joinStates(spans ? { spans: spans.state() } : {});
    return {
      config: {
        featureVersion: FEATURE_VERSION,
        labels,
        trainingType: this.input.settings.trainingType,
        ...calibrated,
        priorWeight: this.priorWeight,
        priorTypes: prior.types,
        ...parts.config,
        ...words.config,
        ...spanParts.config,
      },
      tensors: {
        transitions: { shape: [transitions.length], data: transitions },
        ...parts.tensors,
        ...words.tensors,
        ...spanParts.tensors,
      },
    };
  }

  /** The temperature with the least validation loss, the vectors of spans, and the marginal from which an entity counts. */
  private calibrate(): {
    readonly temperature: number;
    readonly decisionPoint: number;
    readonly spans: SpanVectors | null;
  } {
    const { temperature, judgement } = this.judge()
      .map((each, at) => ({ temperature: TEMPERATURES[at]!, judgement: each }))
      .reduce((first, each) => (each.judgement.loss < first.judgement.loss ? each : first));
    const stacked = this.stack(temperature);
    return {
      temperature,
      decisionPoint: chooseDecisionPoint({ ...judgement, ...stacked?.proposals }),
      spans: stacked?.spans ?? null,
    };
  }

  /** The vectors of spans beside the present lattice; null if there are none, or they are no help. */
  private stack(temperature: number): StackedSpans | null {
    const { stacker, earlierSpans, crossValidation } = this;
    if (stacker === null && earlierSpans === null) return null;
    const areHeld = this.input.validation !== this.input.train;
    const segments = labelledSegments(this.learner.trained().learner, this.read.validation, temperature);
    return stacker
      ? stacker.stack(crossValidation!.segments(this.epoch, temperature), areHeld ? segments : [])
      : stackEarlier(earlierSpans!, segments, areHeld);
  }

  /** The epoch whose end is nearest, from 1. */
  private get epoch(): number {
    return Math.min(this.input.settings.epochs, Math.max(1, Math.round(this.stepsDone / this.stepsPerEpoch)));
  }

  saveState(): HeadState {
    const parts = joinStates({ learner: this.learner.saveState() });
    return { config: { stepsDone: this.stepsDone, ...parts.config }, tensors: parts.tensors };
  }

  restoreState(state: HeadState): void {
    this.judgements = null;
    this.stepsDone = state.config['stepsDone'] as number;
    this.learner.restoreState(partOfState(state, 'learner')!);
  }
}

function* segmentsOf(rows: readonly Example[]): Generator<readonly Token[]> {
  for (const { text, entities = [] } of rows)
    for (const { tokens } of alignSpans(text, entities).segments) yield tokens;
}

function labelsOf(rows: readonly Example[]): string[] {
  return rows.flatMap(({ entities = [] }) => entities.map(({ label }) => label));
}

/** Distinct, in code unit order, independent of the order of the rows. */
function sorted(labels: readonly string[]): string[] {
  return [...new Set(labels)].sort((a, b) => (a < b ? -1 : 1));
}

function report({ flattened, empty, cutTokens }: AlignmentCounts, log: (message: string) => void): void {
  if (flattened > 0) log(`${flattened} nested or overlapping spans left out: of each group the longest is learned.`);
  if (empty > 0) log(`${empty} spans without a character left out.`);
  if (cutTokens > 0) log(`${cutTokens} tokens cut at the edge of a span inside them.`);
}
