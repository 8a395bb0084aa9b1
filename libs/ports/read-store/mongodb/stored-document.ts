import { BSON } from 'mongodb';
import type { Json, JsonObject } from '#domain/json.js';
import { INDEXABLE_NAME } from '../indexes.js';

/** A document as stored in its collection. */
export interface StoredDocument {
  readonly _id: string;
  /** Position of the last event that it has seen. */
  readonly _pos: string;
  /** Top-level fields for queries: scalars unchanged, an empty object for any other value. A tombstone has none. */
  readonly f?: Readonly<Record<string, Json>>;
  /**
   * JSON of the fields that `f` cannot hold exactly: lists and objects (BSON is limited to 100 levels and forbids some
   * keys), names and strings that BSON cannot represent. Absent if there are none.
   */
  readonly rest?: string;
  /** The words of an index of words. */
  readonly w?: readonly string[];
  /** A tombstone: the document was removed, at a wall-clock time. */
  readonly gone?: true;
  readonly goneAt?: Date;
  /** Keys of unique indexes, see unique.ts. */
  readonly [unique: `u${number}`]: string;
}

/** MongoDB's limit (16 MiB), less some room for the command around it. */
const LARGEST = 16 * 1024 * 1024 - 16 * 1024;
/** Documents of fewer characters fit unmeasured: each is three bytes at most, and words and unique keys are far fewer. */
const SURELY_SMALL = 4 * 1024 * 1024;
/** Bytes of BSON's largest value that is no text. */
const LONGEST_SCALAR = 8;

export function storedFields(document: JsonObject): Pick<StoredDocument, 'f' | 'rest'> {
  const f: Record<string, Json> = {};
  let rest: Record<string, Json> | null = null;
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue;
    const sayable = isSayable(name);
    if (sayable) f[name] = typeof value === 'object' && value !== null ? {} : queryable(value);
    if (!sayable || isBeyondBson(value)) rest = withField(rest, name, value);
  }
  return rest === null ? { f } : { f, rest: JSON.stringify(rest) };
}

/** null for a tombstone, also for one that a server sends while it becomes one (mongo-java-server does). */
export function documentOf({ f, rest }: Pick<StoredDocument, 'f' | 'rest'>): JsonObject | null {
  if (f === undefined) return null;
  // A spread creates own properties for all names, including `__proto__`.
  return rest === undefined ? f : { ...f, ...(JSON.parse(rest) as JsonObject) };
}

/** @returns bytes beyond what MongoDB takes as one document, 0 for none */
export function bytesTooMany(stored: StoredDocument): number {
  let characters = stored._id.length + (stored.rest?.length ?? 0);
  for (const [name, value] of Object.entries(stored.f ?? {}))
    characters += name.length + (typeof value === 'string' ? value.length : LONGEST_SCALAR);
  if (characters < SURELY_SMALL) return 0;
  return Math.max(0, BSON.calculateObjectSize(stored) - LARGEST);
}

/** An id, or a string to be compared, as BSON can say it: in UTF-8, as SQLite does. */
export const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());

/** A value as queries compare it. */
export const queryable = <T extends Json>(value: T): T =>
  typeof value === 'string' ? (wellFormed(value) as T) : value;

/** Whether BSON and its driver give a name no meaning of their own: names that queries may use, except these two. */
const isSayable = (name: string): boolean => INDEXABLE_NAME.test(name) && name !== '__proto__' && name !== '_bsontype';

const isBeyondBson = (value: Json): boolean =>
  typeof value === 'string' ? !value.isWellFormed() : typeof value === 'object' && value !== null;

function withField(rest: Record<string, Json> | null, name: string, value: Json): Record<string, Json> {
  rest ??= {};
  // Assigning to `__proto__` would set the prototype.
  if (name === '__proto__') Object.defineProperty(rest, name, { value, enumerable: true });
  else rest[name] = value;
  return rest;
}
