import type { Json, JsonObject } from '#domain/json.js';
import type { GenerationRequest, Verbatim } from '#calls/hosted/port.js';
import { EXTENSIONS } from './read-extensions.js';

/** The body for a provider of the same style, without this installation's own fields. */
export function verbatim(
  style: Verbatim['style'],
  fields: object,
  only: readonly string[],
  alsoForUs: readonly string[] = [],
): Verbatim {
  const isForUs = (name: string) => (EXTENSIONS as readonly string[]).includes(name) || alsoForUs.includes(name);
  return { style, body: without(fields, isForUs), ...(only.length > 0 && { only }) };
}

/** Fields unknown to this installation, for any provider. One that is null says nothing, and many refuse it. */
export function unknownFields(
  fields: object,
  known: Pick<ReadonlySet<string>, 'has'>,
): Pick<GenerationRequest, 'unknownFields'> {
  const found = without(fields, (name) => known.has(name) || (fields as JsonObject)[name] === null);
  return Object.keys(found).length > 0 ? { unknownFields: found } : {};
}

/** The input shown in the history: the caller's own words, without fields recorded elsewhere. */
export const recordedInput = (body: unknown): JsonObject => without(body as object, (name) => SAID_ELSEWHERE.has(name));

const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['model', 'stream', 'store', 'project_id']);

/** Copies a body without some of its fields. */
export function without(fields: object, isLeftOut: (name: string) => boolean): JsonObject {
  const kept: Record<string, Json> = {};
  for (const name of Object.keys(fields)) if (!isLeftOut(name)) kept[name] = (fields as JsonObject)[name]!;
  return kept;
}
