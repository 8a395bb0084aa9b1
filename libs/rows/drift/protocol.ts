import type { TrainingReference } from '#domain/drift/index.js';

export interface ReferenceMessage {
  readonly reference: TrainingReference;
  /** All that were read, with a text or not. */
  readonly rows: number;
}
