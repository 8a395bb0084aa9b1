import { TrainingError, type Example } from '../../../engine.js';
import type { FeatureDictionary } from '../../features/dictionary.js';
import { FeatureExtractor, FEATURE_VERSION } from '../../features/extractor.js';
import type { HeadState, HeadTrainer, HeadTrainerInput, HeadValidation } from '../../head.js';
import { Random } from '../../random.js';
import { alignSpans } from '../../text/alignment.js';
import type { TextEncoder } from '../../text-encoder.js';
import { createAdapterWeights, exportAdapterWeights, loraScale, type AdapterWeights } from './adapter-weights.js';
import type { Token } from '#primitives/text/tokens.js';
import type { BaseTagger } from '../base-tagger.js';
import { chooseDecisionPoint, f1At, fitConfidenceSlope } from '../calibration.js';
import { crossValidate, priorWeightFor, type CrossValidation } from './cross-validation.js';
import { EarlierHead } from '../earlier-head.js';
import { CrfLearner, poolJudgements, type RowsJudgement } from './learner.js';
import { learningRateFactor, learningRateRatio } from './learning-rate.js';
import { BasePrior } from '../prior.js';
import { compileKnown, compileTraining, type AlignmentCounts, type CompiledRows } from './rows.js';
import { joinStates, partOfState } from '../states.js';
import { tagCount } from '../lattice/tags.js';
import { vectorsFit, WordVectors } from '../word-vectors.js';

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
const TOO_MANY_WORDS =
  'The rows have more words than fit in memory with their vectors: surface forms alone are learned.';
const EARLIER_LEFT_OUT = 'What the earlier model learned of the meaning of words is left out.';
const TRANSITION_RATES = { full: 0.002, lora: 0.01 } as const;

/**
 * Trainer of an entity head over the base.
 * @param resolve which base types stand for a label (the prior); default: types whose name equals the label's, without case
 *   and separators
 * @param encoder whose vectors of words are learned from beside the features; null for none
 * @throws TrainingError when no row is labelled for entities, or none holds an entity
 */
export function createEntityTrainer(
  input: HeadTrainerInput,
  base: BaseTagger,
  resolve?: LabelResolver,
  encoder: TextEncoder | null = null,
): HeadTrainer {
  return new EntityTrainer(input, base, resolve ?? sameName(base.labels), encoder);
}

function sameName(types: readonly string[]): LabelResolver {
  const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return (label) => types.filter((type) => plain(type) === plain(label));
}

class EntityTrainer implements HeadTrainer {
  readonly stepsPerEpoch: number;
  private readonly labels: readonly string[];
  private readonly prior: BasePrior;
  private readonly priorWeight: number;
  private readonly dictionary: FeatureDictionary;
  private readonly validation: CompiledRows;
  private readonly words: WordVectors | null;
  private readonly crossValidation: CrossValidation | null;
  private readonly weights: AdapterWeights;
  private readonly learner: CrfLearner;
  private readonly random: Random;
  private readonly totalSteps: number;
  private stepsDone = 0;
  /** Judgements of the present weights on validation, for each of `TEMPERATURES`; null when not judged since the last step. */
  private judgements: readonly RowsJudgement[] | null = null;

  constructor(
    private readonly input: HeadTrainerInput,
    base: BaseTagger,
    resolve: LabelResolver,
    encoder: TextEncoder | null,
  ) {
    const { settings, log } = input;
    const train = input.train.filter((row) => row.entities !== undefined);
    const validation = input.validation.filter((row) => row.entities !== undefined);
    const earlier = input.startFrom && new EarlierHead(input.startFrom, loraScale(settings), encoder);
    const shown = labelsOf([...train, ...validation]);
    if (train.length === 0 || shown.length === 0) {
      throw new TrainingError('No training row is labelled with an entity: there is nothing to learn.');
    }
    this.labels = sorted([...shown, ...(earlier?.labels ?? [])]);
    this.prior = new BasePrior(
      this.labels.map((label) =>
        resolve(label).flatMap((type) => (base.labels.includes(type) ? [base.labels.indexOf(type)] : [])),
      ),
      base.labels.length,
    );
    const reads = encoder !== null && vectorsFit({ train, validation });
    if (encoder !== null && !reads) log(TOO_MANY_WORDS);
    if (earlier?.words && !reads) log(EARLIER_LEFT_OUT);
    this.words = reads ? (earlier?.words ?? WordVectors.fit(encoder, segmentsOf(train))) : null;
    const context = {
      labels: this.labels,
      extractor: new FeatureExtractor(base.gazetteer),
      base,
      prior: this.prior.isEmpty ? null : this.prior,
      words: this.words,
    };
    const counts: AlignmentCounts = { flattened: 0, empty: 0, cutTokens: 0 };
    const width = settings.trainingType === 'full' ? tagCount(this.labels.length) : settings.loraR;
    const minimumCount = train.length > ROWS_FOR_MINIMUM_COUNT ? 2 : 1;
    const known = earlier?.dictionaries ?? [];
    const compiled = compileTraining(train, context, minimumCount, counts, MAX_WEIGHTS / width, known);
    this.dictionary = compiled.dictionary;
    this.validation = compileKnown(validation, context, compiled.dictionary, counts);
    report(counts, log);

    const createWeights = (random: Random) =>
      createAdapterWeights(settings, this.dictionary, this.labels, random, earlier, this.words?.dimensions ?? 0);
    const createLearner = (weights: AdapterWeights, rows: CompiledRows, priorWeight: number, random: Random) =>
      new CrfLearner({
        labels: this.labels.length,
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
      rows: compiled.rows,
      priorWeights: this.prior.isEmpty ? [0] : PRIOR_WEIGHTS,
      settings,
      working: input.working,
      createLearner: (rows: CompiledRows, priorWeight: number, random: Random) =>
        createLearner(createWeights(random), rows, priorWeight, random),
    };
    this.crossValidation = earlier === null ? crossValidate(search) : null;
    this.priorWeight = this.prior.isEmpty
      ? 0
      : (earlier?.priorWeight ??
        this.crossValidation?.priorWeight ??
        (train.length > ROWS_FOR_NO_SEARCH ? PRIOR_WEIGHT_OF_MANY : train.length > 1 ? priorWeightFor(search) : 1));
    this.random = new Random(settings.seed);
    this.weights = createWeights(this.random);
    this.learner = createLearner(this.weights, compiled.rows, this.priorWeight, this.random);
    earlier?.carryTransitions(this.learner.transitions, this.labels);
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
    const { settings, train, validation } = this.input;
    const epoch = Math.min(settings.epochs, Math.max(1, Math.round(this.stepsDone / this.stepsPerEpoch)));
    const foretold = this.crossValidation?.after(epoch, TEMPERATURES);
    if (foretold !== undefined && validation === train) return foretold;
    const judged = this.learner.judge(this.validation, TEMPERATURES);
    return foretold === undefined ? judged : judged.map((part, at) => poolJudgements([part, foretold[at]!]));
  }

  exportModel(): HeadState {
    const parts = exportAdapterWeights(this.weights, this.dictionary);
    const words = joinStates(this.words ? { words: this.words.state() } : {});
    const transitions = this.learner.transitions.slice();
    return {
      config: {
        featureVersion: FEATURE_VERSION,
        labels: this.labels,
        trainingType: this.input.settings.trainingType,
        ...this.calibrate(),
        priorWeight: this.priorWeight,
        priorTypes: this.prior.types,
        ...parts.config,
        ...words.config,
      },
      tensors: {
        transitions: { shape: [transitions.length], data: transitions },
        ...parts.tensors,
        ...words.tensors,
      },
    };
  }

  /**
   * The temperature with the least validation loss, the marginal that is to count as a confidence of one half, and how steeply
   * confidence rises from there.
   */
  private calibrate(): {
    readonly temperature: number;
    readonly decisionPoint: number;
    readonly confidenceSlope: number;
  } {
    const best = this.judge()
      .map((judgement, at) => ({ temperature: TEMPERATURES[at]!, judgement }))
      .reduce((first, each) => (each.judgement.loss < first.judgement.loss ? each : first));
    const decisionPoint = chooseDecisionPoint(best.judgement);
    const confidenceSlope = fitConfidenceSlope(best.judgement, decisionPoint);
    return { temperature: best.temperature, decisionPoint, confidenceSlope };
  }

  saveState(): HeadState {
    const parts = joinStates({ weights: this.weights.saveState(), learner: this.learner.saveState() });
    return {
      config: { stepsDone: this.stepsDone, ...parts.config },
      tensors: { random: this.random.save(), ...parts.tensors },
    };
  }

  restoreState(state: HeadState): void {
    this.judgements = null;
    this.stepsDone = state.config['stepsDone'] as number;
    this.random.restore(state.tensors['random']!);
    this.weights.restoreState(partOfState(state, 'weights')!);
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
