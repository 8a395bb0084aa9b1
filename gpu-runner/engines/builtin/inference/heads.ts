import { UnsupportedHeadError } from '../../engine.js';
import type { ClassificationHead, NameVectors } from '../classification/index.js';
import type { LayeredHead } from '../entities/index.js';
import type { RelationHead } from '../relations/index.js';
import type { StructureHead } from '../structures/index.js';
import type { LoadedBase } from './base.js';
import type { LazyRows } from './explanation.js';
import type { LazyTexts } from './likeness.js';

/** A base and the heads on it; null for those that the model lacks. */
export interface ModelHeads {
  readonly base: LoadedBase;
  readonly entities: LayeredHead | null;
  /** In the order of the names of their tasks. */
  readonly classes: readonly TrainedTask[];
  /** Null if the base has no encoder. */
  readonly names: NameVectors | null;
  readonly structures: StructureHead | null;
  readonly relations: RelationHead | null;
  /** Null if the model keeps none. */
  readonly rows: LazyRows | null;
  /** Null if the model does not keep what they are like. */
  readonly texts: LazyTexts | null;
}

/** A trained classifier with the name of its task. */
export interface TrainedTask extends ClassificationHead {
  readonly task: string;
}

/** Heads that only training gives. */
export const TRAINED_HEADS = ['structures', 'relations'] as const;

/** @throws UnsupportedHeadError naming the first that the model was not trained for, and those that it has */
export function requireHeads(model: ModelHeads, heads: readonly (typeof TRAINED_HEADS)[number][]): void {
  const has = { structures: model.structures !== null, relations: model.relations !== null };
  const lacking = heads.find((head) => !has[head]);
  if (lacking === undefined) return;
  const own = ['entities', 'classifications', ...TRAINED_HEADS.filter((head) => has[head])];
  throw new UnsupportedHeadError(lacking, `the model has no ${lacking} head; it does ${own.join(' and ')}`);
}
