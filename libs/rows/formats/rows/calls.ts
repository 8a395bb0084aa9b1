import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from './kinds.js';

/** A call of a tool in a stored message. */
export interface StoredCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text. */
  readonly input: string;
}

/** The calls of a stored message, which was validated. */
export function callsIn({ tool_calls: calls }: JsonObject): readonly StoredCall[] {
  if (!Array.isArray(calls)) return [];
  return (calls as readonly JsonObject[]).map((call, index) => {
    const { name, arguments: input } = call.function as JsonObject;
    return {
      id: typeof call.id === 'string' ? call.id : `call_${index}`,
      name: name as string,
      input: input as string,
    };
  });
}

/**
 * Calls as one text of JSON, so that they are compared by their names and arguments: keys are sorted, ids left out. Arguments that
 * do not parse are text.
 */
export const callsText = (calls: readonly Omit<StoredCall, 'id'>[]): string =>
  JSON.stringify({ tool_calls: calls.map(({ name, input }) => ({ name, arguments: sorted(parsed(input)) })) });

function parsed(input: string): Json {
  try {
    return JSON.parse(input) as Json;
  } catch {
    return input;
  }
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]): [string, Json] => [key, sorted(each ?? null)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
