import type { Contents, Head } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';

/** The form in which rows are exported for another tool. Registered in `shapes.ts`. */
export interface ExportShape {
  readonly mediaType: string;
  /** Ending of the file's name. */
  readonly ending: string;
  /** Heads that it can hold. */
  readonly heads: readonly Head[];
  /** The part of every row that the shape leaves out; null: none. */
  readonly always: string | null;
  /** Whether the file is one JSON list; else each row ends by itself. */
  readonly isList: boolean;
  /** The text of a row; null: none. */
  write(row: JsonObject, contents: Contents, leftOut: LeaveOut): string | null;
}

/**
 * Counts what a shape cannot hold.
 * @param what one of few fixed texts, in the plural
 */
export type LeaveOut = (what: string, count?: number) => void;
