/** Result codes of SQLite (https://sqlite.org/rescode.html), as node:sqlite gives them in `errcode`. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const CONSTRAINT_UNIQUE = 2067;
/** BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN. */
const OF_THE_DISK = new Set([5, 6, 8, 10, 13, 14]);

const extendedCode = (error: unknown): number => (error as { errcode?: number }).errcode ?? 0;
const primaryCode = (error: unknown): number => extendedCode(error) & 0xff;

export const isDamage = (error: unknown): boolean => [CORRUPT, NOT_A_DATABASE].includes(primaryCode(error));
/** The disk or another's lock is in the way: trying again later is right. */
export const isUnavailable = (error: unknown): boolean => OF_THE_DISK.has(primaryCode(error));
export const isUniqueViolation = (error: unknown): boolean => extendedCode(error) === CONSTRAINT_UNIQUE;
