import type { JsonObject } from '#domain/json.js';
import type { RowBatch, RowGenerator } from '../port.js';

/** The grammars and word lists, loaded when they are first needed. */
const grammars = async () => ({ ...(await import('./draw.js')), ...(await import('./plan.js')) });

/** Rows made between two turns of the event loop: some milliseconds. */
const BATCH = 20;

/**
 * Makes rows from grammars and word lists, without a model: for the labels, fields and domains that it knows. It refuses the
 * rest by name. The same request with the same seed gives the same rows.
 */
export const builtInGenerator: RowGenerator = {
  async check(request) {
    const { planOf } = await grammars();
    planOf(request);
  },
  async *rows(request): AsyncGenerator<RowBatch> {
    const { planOf, seedRow } = await grammars();
    const plan = planOf(request);
    yield { rows: [], warnings: plan.warnings };
    for (let row = 0; ;) {
      const rows: JsonObject[] = [];
      for (const end = row + BATCH; row < end; row += 1) {
        seedRow(request.seed, row);
        const made = plan.make(row);
        if (made !== null) rows.push(made);
      }
      yield { rows };
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
};
