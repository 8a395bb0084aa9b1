const MAX_LENGTH = 64;

/**
 * Lower-case letters, digits, `.`, `_` and `-`, from a letter or digit on. Excludes ids of the catalog with a slash.
 */
export const MODEL_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
export const MODEL_NAME_IN_WORDS =
  '1 to 64 lower-case letters, digits, ".", "_" or "-", beginning with a letter or digit';

/** A label begins with a letter: what begins with a digit is a version. */
export const MODEL_LABEL = /^[a-z][a-z0-9._-]{0,31}$/;
export const MODEL_LABEL_IN_WORDS = '1 to 32 lower-case letters, digits, ".", "_" or "-", beginning with a letter';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text has the form of a name, and is not the id of a job. */
export const isModelName = (text: string): boolean => MODEL_NAME.test(text) && !UUID.test(text);

/**
 * The name of a model in words, such as `Trip finder`: `trip-finder`.
 * @returns null if no letter or digit of the words can be in a name
 */
export function modelNameFor(words: string): string | null {
  const plain = words.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const name = plain
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, MAX_LENGTH)
    .replace(/-+$/, '');
  return isModelName(name) ? name : null;
}

/** `tickets`, `tickets@7` or `tickets@candidate`. */
export interface ModelReferenceByName {
  readonly name: string;
  /** null: the version in use. */
  readonly ref: { readonly version: number } | { readonly label: string } | null;
}

/** @returns null for an id that names no model */
export function modelReferenceOf(id: string): ModelReferenceByName | null {
  const at = id.indexOf('@');
  const name = at < 0 ? id : id.slice(0, at);
  if (!isModelName(name)) return null;
  if (at < 0) return { name, ref: null };
  const rest = id.slice(at + 1);
  if (MODEL_LABEL.test(rest)) return { name, ref: { label: rest } };
  const version = versionNumberOf(rest);
  return version === null ? null : { name, ref: { version } };
}

/** The number that a text is; null: it is no number of a version. */
export const versionNumberOf = (text: string): number | null => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : null);
