import type { JsonObject } from '#domain/json.js';
import type { Format } from './format.js';
import { helicone } from './helicone.js';
import { langfuse } from './langfuse.js';
import { litellm } from './litellm.js';
import { openai } from './openai.js';
import { tensorzero } from './tensorzero.js';

export type { Format, ReadCall } from './format.js';

/** Exports of other systems, by the name of the system. */
export const FORMATS = { helicone, langfuse, litellm, openai, tensorzero } satisfies Record<string, Format>;

/** The lines of our own exports. */
export const OWN_FORMAT = 'anneal';
export const FORMAT_NAMES = [OWN_FORMAT, ...(Object.keys(FORMATS) as (keyof typeof FORMATS)[])] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** The format that a row has; null if it is unknown. */
export function formatOfRow(row: JsonObject): FormatName | null {
  if ('created_at' in row && ('model_id' in row || 'model_name' in row) && 'input' in row) return OWN_FORMAT;
  return FORMAT_NAMES.find((name) => name !== OWN_FORMAT && FORMATS[name].is(row)) ?? null;
}
