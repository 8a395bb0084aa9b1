import type { EntityHit, Example, TrainingType } from '../../engine.js';
import type { Gazetteer } from '../features/gazetteer.js';
import type { HeadState, HeadTrainer, HeadTrainerInput } from '../head.js';
import type { Token } from '../text/tokens.js';

export interface TagResult {
  /** Of all labels, in text order, non-overlapping: where two overlap the more probable stays. */
  readonly hits: readonly EntityHit[];
  readonly inputTokens: number;
  /** True when part of the text was beyond what is read. */
  readonly truncated: boolean;
}

/** Something that finds entities. */
export interface EntityHead {
  readonly labels: readonly string[];
  /** Bytes of its tensors. */
  readonly byteSize: number;
  /** @param threshold 0 to 1: a hit's confidence, its exact segment marginal, is at least this */
  tag(text: string, threshold: number): TagResult;
}

/** The base model: a tagger of its own types, whose marginals are prior and features of every adapter. */
export interface BaseTagger extends EntityHead {
  readonly gazetteer: Gazetteer;
  /**
   * Marginal tag probabilities, row-major [tokens, 2 * types + 1]: column 0 is O, 1 + k is B of type k, 1 + types + k is I of
   * type k. The array is reused: valid until the next call.
   */
  marginals(tokens: readonly Token[]): Float64Array;
}

export interface BaseTrainingOptions {
  readonly gazetteer: Gazetteer;
  /** Types in the order of the tag columns; a label in the examples that is not among them is an error. */
  readonly types: readonly string[];
  readonly seed: number;
  readonly epochs?: number;
  /** Features seen less often are left out. Default 2. */
  readonly minimumCount?: number;
  /** Weights smaller than this (in nats) are dropped from the file. Default .05. */
  readonly prune?: number;
  readonly log?: (message: string) => void;
}

/** Trains the base tagger: a plain CRF. The state holds it pruned, quantised to int8, together with its gazetteer. */
export function trainBaseTagger(_examples: readonly Example[], _options: BaseTrainingOptions): HeadState {
  throw new Error('not yet');
}

/** Takes what `trainBaseTagger` gave, without copying its tensors. */
export function loadBaseTagger(_state: HeadState): BaseTagger {
  throw new Error('not yet');
}

/** Label -> names of the base types that stand for it; none when the base knows nothing of it. */
export type LabelResolver = (label: string) => readonly string[];

/**
 * The base alone under other labels ("zero-shot"): the confidence of a label is the sum over its types.
 * @param types label -> base types; labels without types are never found
 */
export function mappedHead(_base: BaseTagger, _types: ReadonlyMap<string, readonly string[]>): EntityHead {
  throw new Error('not yet');
}

/**
 * Trainer of an entity head over the base.
 * @param resolve which base types stand for a label (the prior); default: types whose name equals the label's, without case
 *   and separators
 */
export function createEntityTrainer(
  _input: HeadTrainerInput,
  _base: BaseTagger,
  _resolve?: LabelResolver,
): HeadTrainer {
  throw new Error('not yet');
}

/** Takes an exported head, without copying its tensors. */
export function loadEntityHead(_state: HeadState, _base: BaseTagger): EntityHead {
  throw new Error('not yet');
}

/** Rate that means "as tuned": another rate scales the rate of every parameter by its ratio to this one. */
export const defaultEntityLearningRate: Readonly<Record<TrainingType, number>> = { full: 0.1, lora: 0.05 };

/** Epochs and batch (rows) that suit a number of training rows. */
export function defaultEntitySchedule(rows: number): { readonly epochs: number; readonly batchSize: number } {
  const epochs = rows <= 1000 ? 22 : rows <= 5000 ? 10 : 7;
  return { epochs, batchSize: rows <= 200 ? 4 : rows <= 1000 ? 8 : 16 };
}
