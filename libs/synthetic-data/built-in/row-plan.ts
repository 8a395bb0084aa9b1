import type { GenerationWarning } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';

/** How rows of one request are made. */
export interface Plan {
  /** One row, all its chance drawn from the row's own stream; null where this number gives none. */
  readonly make: (row: number) => JsonObject | null;
  readonly warnings: readonly GenerationWarning[];
}
