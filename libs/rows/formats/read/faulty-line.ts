import type { Json } from '#domain/json.js';
import type { FieldProblem } from '../rows/kinds.js';

const MARK = 'unreadable';

interface FaultyRow {
  readonly error: FieldProblem;
  /** What the file has there. */
  readonly raw: Json;
}

/** A row that cannot be read as a line among the rows of several files, which says why. @param file that has it */
export const faultyLine = ({ error: { field, reason }, raw }: FaultyRow, file: string): string =>
  JSON.stringify([MARK, `${field}${field && ' '}${reason} (in ${file})`, raw]);

/** The row of such a line; null: it is another list, or none. */
export function faultyRow(value: Json): FaultyRow | null {
  if (!Array.isArray(value) || value.length !== 3) return null;
  const [mark, reason, raw = null] = value as readonly Json[];
  return mark === MARK && typeof reason === 'string' ? { error: { field: '', reason }, raw } : null;
}
