import type { FieldNote } from './mapping.js';
import type { Schema } from './schema.js';

/** What is to be known of the fields of some answers. */
export interface Notes {
  readonly unmapped: FieldNote[];
  readonly ask: FieldNote[];
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
