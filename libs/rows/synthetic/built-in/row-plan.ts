import type { GenerationWarning } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';

/** The plan for generating a request's rows. */
export interface RowPlan {
  /** Makes one row from the row's own random stream; null if this number gives none. */
  readonly make: (row: number) => JsonObject | null;
  readonly warnings: readonly GenerationWarning[];
}
