import { createHash } from 'node:crypto';
import { DEFAULT_LIMITS } from '../formats/index.js';
import { canonicalRow } from '../formats/rows/canonical.js';
import { validateRow } from '../formats/rows/validate.js';
import type { GenerationTask, GenerationWarning, RowsRequest } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';
import { GenerationError, type RowBatch } from './port.js';

interface CollectedRows {
  readonly rows: readonly JsonObject[];
  /** Number of rows made. */
  readonly drawn: number;
  /** Kept rows among the valid ones, 0 to 1. */
  readonly distinctShare: number;
  readonly warnings: readonly GenerationWarning[];
}

/** Maximum ratio of rows made to rows wanted; beyond it fewer rows are returned, because the rest repeat themselves. */
const MAX_DRAWN_FACTOR = 20;
const MAX_DRAWN_EXTRA = 200;

/**
 * Takes rows from a generator until there are as many as wanted: only valid ones, each once. Fewer, with a warning, if
 * it has no more.
 * @throws GenerationError when there is none at all
 */
export async function collectRows(
  batches: AsyncIterable<RowBatch>,
  { taskType, count }: Pick<RowsRequest, 'taskType' | 'count'>,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<CollectedRows> {
  const rows: JsonObject[] = [];
  const seen = new Set<string>();
  const warnings = new Map<string, GenerationWarning>();
  const maxDrawn = count * MAX_DRAWN_FACTOR + MAX_DRAWN_EXTRA;
  let drawn = 0;
  let batchesTaken = 0;
  let valid = 0;
  for await (const batch of batches) {
    for (const warning of batch.warnings ?? []) warnings.set(warning.message, warning);
    for (const row of batch.rows) {
      if (rows.length === count) break;
      drawn += 1;
      if (!isValidRow(row, taskType)) continue;
      valid += 1;
      const key = identityOf(row, taskType);
      if (seen.has(key)) continue;
      seen.add(key);
      rows.push(row);
    }
    onProgress(rows.length / count);
    batchesTaken += 1;
    if (rows.length === count || drawn >= maxDrawn || batchesTaken >= maxDrawn) break;
  }
  if (rows.length === 0) throw new GenerationError('the generator made no valid row');
  if (rows.length < count) {
    const message = `${rows.length} rows were made, not ${count}: there are no more that differ`;
    warnings.set(message, { code: 'fewer_rows', message });
  }
  return { rows, drawn, distinctShare: rows.length / valid, warnings: [...warnings.values()] };
}

/** Whether an upload would accept this row. */
export const isValidRow = (row: JsonObject, taskType: GenerationTask): boolean =>
  'contents' in validateRow(canonicalRow(row, taskType, {}), taskType, DEFAULT_LIMITS);

/** Rows with the same text count as one, whatever their labels: a text with two labels teaches nothing. */
function identityOf(row: JsonObject, taskType: GenerationTask): string {
  const labelled = taskType === 'ner' || taskType === 'classification';
  const text = labelled && typeof row.text === 'string' ? row.text : JSON.stringify(row);
  return createHash('sha256').update(text.toLowerCase().replaceAll(/\s+/g, ' ')).digest('base64');
}
