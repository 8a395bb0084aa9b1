import type { HeadKind } from '#domain/distillation/index.js';
import type { FieldNote } from './mapping.js';
import type { Schema } from './schema.js';

/** What is to be known of the fields of some answers. */
export interface Notes {
  readonly unmapped: FieldNote[];
  readonly ask: FieldNote[];
  /** What each place of the answers can become, by its path. */
  readonly choices: Map<string, readonly HeadKind[]>;
  /** What places are to become, by their paths; those that are not there as proposed. */
  readonly wanted: ReadonlyMap<string, HeadKind>;
}

/** Where a value stands in the answers. */
export interface Place {
  /** From the answer: `items[].sku`. */
  readonly path: string;
  /** From the record: `sku`. It is the field's name. */
  readonly prefix: string;
  readonly isInRecord: boolean;
  /** What the request says of it; null for nothing. */
  readonly schema: Schema | null;
}

/** Notes what a place can become, besides that nothing is learned of it. */
export function canBecome({ choices }: Notes, path: string, kinds: readonly HeadKind[]): void {
  // Something has to be answered.
  const isWhole = path === '' || path === '[]';
  choices.set(path, isWhole ? kinds : [...kinds, 'null', 'omitted']);
}
