import { TrainingError, type Example } from '../../engine.js';
import { drain, type Steps } from '../../steps.js';
import {
  calibrated,
  chooseDecisionPoint,
  f1At,
  fitCalibration,
  UNCHANGED,
  type Proposals,
} from '../entities/calibration.js';
import {
  createEntityTrainer,
  joinStates,
  loadEntityHead,
  partOfState,
  type BaseTagger,
  type LabelResolver,
} from '../entities/index.js';
import { rowsWithVectors, WordVectors } from '../entities/word-vectors.js';
import type { HeadState, HeadTrainer, HeadTrainerInput, HeadValidation } from '../head.js';
import { MAX_JUDGED_TOKENS, MAX_PAIR_TOKENS } from '../limits.js';
import type { TextEncoder } from '../text-encoder.js';
import { segmentTokens } from '../text/segments.js';
import type { Token } from '#primitives/text/tokens.js';
import { MENTIONS, PAIRS, relationHead } from './head.js';
import { mentionTypes, nameOfType, placeOf, taggedRows, typeOfName, type MentionTypes } from './mention-types.js';
import { PairLearner, type LearnedVectors } from './pair-learner.js';
import { vectorsOfRows } from './pair-vectors.js';
import { exportPairs, parsePairs, type StoredPairs } from './stored-pairs.js';

/**
 * Trainer of a relation head: a tagger of the ends of relations, and a classifier of pairs of them. The trained head
 * contains its tagger, so that relations depend on no other head of the model.
 * @param resolve which base types stand for an entity label
 * @param entities trainer of the job's entity head, if that learns the same spans from the same rows: it is not trained
 * twice, and takes its steps before those of the relations
 * @throws TrainingError when no row holds a relation
 */
export function* createRelationTrainer(
  input: HeadTrainerInput,
  base: BaseTagger,
  resolve: LabelResolver,
  encoder: TextEncoder | null,
  entities: HeadTrainer | null = null,
): Steps<HeadTrainer> {
  if (input.train.every(({ relations = [] }) => relations.length === 0))
    throw new TrainingError('No training row holds a relation: there is nothing to learn.');
  const types = mentionTypes(input.train);
  const tagger = entities === null ? yield* createTagger(input, types, base, resolve, encoder) : null;
  const pairs = input.startFrom && partOfState(input.startFrom, PAIRS);
  const earlier = pairs && parsePairs(pairs, encoder);
  const vectors = encoder && (yield* readVectors(input, types, earlier?.vectors?.words ?? null, encoder));
  return new RelationTrainer(input, base, encoder, types, tagger, entities, earlier, vectors);
}

function* readVectors(
  { train, validation, log }: HeadTrainerInput,
  types: MentionTypes,
  earlier: WordVectors | null,
  encoder: TextEncoder,
): Steps<LearnedVectors> {
  const words = earlier ?? (yield* WordVectors.fit(encoder, segmentsOf(train)));
  const learned = fitting(train, MAX_PAIR_TOKENS);
  if (learned.length < train.length)
    log(
      `The meaning of words in pairs is learned from ${learned.length} of ${train.length} rows: more do not fit in memory.`,
    );
  const judged = validation === train ? [] : fitting(validation, MAX_JUDGED_TOKENS);
  return { words, ofRows: yield* vectorsOfRows([...learned, ...judged], types, words) };
}

function fitting(rows: readonly Example[], maxTokens: number): readonly Example[] {
  const fits = rowsWithVectors(rows, maxTokens);
  return rows.filter((_, index) => fits[index]);
}

function* segmentsOf(rows: readonly Example[]): Generator<readonly Token[]> {
  for (const { text } of rows) yield* segmentTokens(text);
}

class RelationTrainer implements HeadTrainer {
  readonly stepsPerEpoch: number;
  readonly rowsWithVectors: number | null;
  private readonly pairs: PairLearner;
  /** Proposals of the present weights on the validation rows; null when not judged since the last step. */
  private proposals: Proposals | null = null;

  constructor(
    private readonly input: HeadTrainerInput,
    private readonly base: BaseTagger,
    private readonly encoder: TextEncoder | null,
    types: MentionTypes,
    /** Null if the entity head's is used. */
    private readonly tagger: HeadTrainer | null,
    private readonly entities: HeadTrainer | null,
    earlier: StoredPairs | null,
    vectors: LearnedVectors | null,
  ) {
    const { train, validation, settings, log } = input;
    this.stepsPerEpoch = (entities ?? tagger!).stepsPerEpoch;
    this.rowsWithVectors = tagger?.rowsWithVectors ?? null;
    this.pairs = new PairLearner(settings, this.stepsPerEpoch, { train, validation }, types, earlier, vectors);
    if (this.pairs.tooFar > 0)
      log(`${this.pairs.tooFar} relations whose ends are too far apart, or are one stretch, left out.`);
    const { features, pairs, relations } = this.pairs.leftOut;
    if (features > 0)
      log(`${features} features of pairs that are seen least often left out: their weights would not fit.`);
    if (pairs > 0)
      log(`${pairs} pairs of mentions beyond those that fit in memory left out, and with them ${relations} relations.`);
  }

  step(): number {
    this.proposals = null;
    return (this.tagger?.step() ?? 0) + this.pairs.step() / this.input.settings.batchSize;
  }

  validate(): HeadValidation {
    const { proposals } = this.calibrate();
    return {
      loss: (this.tagger?.validate().loss ?? 0) + this.pairs.validationLoss(),
      f1: f1At(proposals, chooseDecisionPoint(proposals)),
      // Pairs are not cross-validated.
      isHeldOut: this.input.validation !== this.input.train,
    };
  }

  exportModel(): HeadState {
    const { calibration, proposals } = this.calibrate();
    const pairs = this.pairs.export(calibration, chooseDecisionPoint(proposals));
    return joinStates({ [MENTIONS]: this.exportTagger(), [PAIRS]: exportPairs(pairs) });
  }

  saveState(): HeadState {
    return joinStates({
      ...(this.tagger && { [MENTIONS]: this.tagger.saveState() }),
      [PAIRS]: this.pairs.saveState(),
    });
  }

  restoreState(state: HeadState): void {
    this.proposals = null;
    this.tagger?.restoreState(partOfState(state, MENTIONS)!);
    this.pairs.restoreState(partOfState(state, PAIRS)!);
  }

  /** How confidences follow from the products of a pair's probabilities, and the proposals with these. */
  private calibrate() {
    const { probabilities, ...judged } = this.judge();
    const calibration = fitCalibration({ probabilities, ...judged });
    const confidences = probabilities.map((probability) => calibrated(probability, calibration));
    return { calibration, proposals: { probabilities: confidences, ...judged } };
  }

  /** Answers of the present weights on the validation rows, tagger and pairs together, not calibrated yet. */
  private judge(): Proposals {
    // The entity head takes steps of its own, which invalidate an earlier judgement.
    if (this.entities !== null) return this.propose(this.input.validation);
    return (this.proposals ??= this.propose(this.input.validation));
  }

  private exportTagger(): HeadState {
    if (this.tagger !== null) return this.tagger.exportModel();
    const { config, tensors } = this.entities!.exportModel();
    return { config: { ...config, labels: (config['labels'] as readonly string[]).map(typeOfName) }, tensors };
  }

  private propose(rows: readonly Example[]): Proposals {
    const head = relationHead(
      loadEntityHead(this.exportTagger(), this.base, this.encoder),
      this.pairs.export(UNCHANGED, 0.5),
    );
    const probabilities: number[] = [];
    const right: boolean[] = [];
    let gold = 0;
    for (const { text, relations = [] } of rows) {
      const told = new Set(relations.map((relation) => keyOf(text, relation)));
      gold += told.size;
      for (const found of drain(head.find(text, MIN_PROPOSED)).relations) {
        probabilities.push(found.confidence);
        right.push(told.delete(keyOf(text, found)));
      }
    }
    return { gold, probabilities, right };
  }
}

function createTagger(
  input: HeadTrainerInput,
  types: MentionTypes,
  base: BaseTagger,
  resolve: LabelResolver,
  encoder: TextEncoder | null,
): Steps<HeadTrainer> {
  const { train, validation, startFrom } = input;
  const rows = taggedRows(train, types);
  return createEntityTrainer(
    {
      ...input,
      train: rows,
      // The same rows stay the same: the tagger knows them as those that it learned from.
      validation: validation === train ? rows : taggedRows(validation, types),
      startFrom: startFrom && partOfState(startFrom, MENTIONS),
    },
    base,
    (type) => {
      const label = nameOfType(type);
      return label === null ? [] : resolve(label);
    },
    encoder,
  );
}

/** Below the lowest decision point. */
const MIN_PROPOSED = 0.02;

/** By the texts of the ends, as evaluations count them. */
const keyOf = (
  text: string,
  { name, head, tail }: { readonly name: string; readonly head: Place; readonly tail: Place },
): string => JSON.stringify([name, text.slice(head.start, head.end), text.slice(tail.start, tail.end)]);
type Place = Parameters<typeof placeOf>[0];
