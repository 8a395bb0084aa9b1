import type { Json, JsonObject } from '#domain/json.js';
import { asText, fields, without, type Change } from '#calls/hosted/changed.js';
import { isRecord } from '#primitives/values.js';
import { effortOf } from '../shared/openai-efforts.js';
import { withFlatTools } from '../shared/tool-shapes.js';
import { withWholeCalls } from './earlier-calls.js';
import { itemsOf } from './turn-items.js';

/** A response as its API has it: clients write items, parts and tools as chat completions have them, and metadata that are no texts. */
export const asResponse = (body: unknown): unknown =>
  isRecord(body) ? withWholeCalls(own(withFlatTools(body) as JsonObject)) : body;

/** A format without `json_schema` within. */
const flatFormat: Change = (format) => {
  if (!isRecord(format) || !isRecord(format['json_schema'])) return format;
  const { json_schema: described, ...rest } = format;
  return { ...described, ...rest };
};

/** Values that are no text, as their JSON: answers repeat them so. */
const texts: Change = (metadata) => {
  if (!isRecord(metadata)) return metadata;
  return fields(Object.fromEntries(Object.keys(metadata).map((name) => [name, asText])))(
    without(metadata, (_, value) => value === null),
  );
};

const own = fields({
  input: (input) => (Array.isArray(input) || isRecord(input) ? [input].flat().flatMap(itemsOf) : input),
  reasoning: fields({ effort: (effort) => effortOf(effort) as Json }),
  text: fields({ format: flatFormat }),
  max_output_tokens: (most) => (most === -1 ? null : most),
  metadata: texts,
  user: asText,
  safety_identifier: asText,
});
