/**
 * SQLite's codes for a file that SQLite did not write, or whose pages cannot be read:
 * https://www.sqlite.org/rescode.html
 */
const ERROR = 1;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const PAGE_UNREADABLE = new Set([266 /* read */, 8202 /* data */, 8458 /* file system */]);

export function isDamage(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: number };
  // A number beyond those that are written.
  if (code === 'ERR_OUT_OF_RANGE') return true;
  if (errcode === undefined) return false;
  // The store's own statements are correct: if one fails, a table has changed.
  return [ERROR, CORRUPT, NOT_A_DATABASE].includes(errcode & 0xff) || PAGE_UNREADABLE.has(errcode);
}
