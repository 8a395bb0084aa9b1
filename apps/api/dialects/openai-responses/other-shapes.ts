import type { Json, JsonObject } from '#domain/json.js';
import { fields, items, without, type Change } from '#calls/hosted/changed.js';
import { isRecord } from '#primitives/values.js';
import { effortOf } from '../shared/openai-efforts.js';
import { ownPart } from '../shared/openai-parts.js';
import { nestedTool } from '../shared/openai-tools.js';
import { withWholeCalls } from './earlier-calls.js';

/** A response as its API has it: clients write items, parts and tools as chat completions have them, and metadata that are no texts. */
export const asResponse = (body: unknown): unknown => withWholeCalls(own(body as Json));

/** A tool, or the choice of one, without `function` within. */
const flat: Change = (tool) => {
  if (!isRecord(tool) || tool['type'] !== 'function' || !isRecord(tool['function'])) return tool;
  const { function: described, ...rest } = tool;
  return { ...described, ...rest };
};

/** A format without `json_schema` within. */
const flatFormat: Change = (format) => {
  if (!isRecord(format) || !isRecord(format['json_schema'])) return format;
  const { json_schema: described, ...rest } = format;
  return { ...described, ...rest };
};

/** Values that are no text, as their JSON: answers repeat them so. */
const texts: Change = (metadata) => {
  if (!isRecord(metadata)) return metadata;
  const present = Object.entries(metadata).filter(([, value]) => value !== null);
  return Object.fromEntries(
    present.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
};

/** Parts of chat completions, and pictures as other APIs have them. */
const partOf =
  (textType: string): Change =>
  (part) => {
    if (!isRecord(part)) return part;
    const { type, file } = part;
    if (type === 'text') return { ...part, type: textType };
    if (type === 'file' && isRecord(file))
      return { ...without(part, (name) => name === 'file'), ...file, type: 'input_file' };
    if (type !== 'image' && type !== 'image_url') return part;
    const { image_url: picture, ...rest } = ownPart(part) as JsonObject;
    if (!isRecord(picture)) return part;
    const { url = null, ...others } = picture;
    return { ...rest, ...others, type: 'input_image', image_url: url };
  };

/** A message, with the calls of tools that it makes or answers as items of their own. */
function itemsOf(item: Json): readonly Json[] {
  if (!isRecord(item) || typeof item['role'] !== 'string') return [item];
  const isAnswer = item['role'] === 'assistant';
  const own = fields({ content: items(partOf(isAnswer ? 'output_text' : 'input_text')) })(item) as JsonObject;
  const { type: _, role, content = null, tool_call_id: id = null, tool_calls: calls, ...rest } = own;
  if (role === 'tool') return [{ ...rest, type: 'function_call_output', call_id: id, output: content }];
  if (!isAnswer || !Array.isArray(calls)) return [own];
  const isSilent = content === null || content === '' || (Array.isArray(content) && content.length === 0);
  const message = isSilent ? [] : [without(own, (name) => name === 'tool_calls')];
  return [...message, ...(calls as readonly Json[]).map(callOf)];
}

const callOf: Change = (call) => {
  if (!isRecord(call) || !isRecord(call['function'])) return call;
  const { id = null, index: _, function: called, ...rest } = call;
  return { ...rest, ...called, type: 'function_call', call_id: id };
};

const own = fields({
  input: (input) => (Array.isArray(input) ? (input as readonly Json[]).flatMap(itemsOf) : input),
  tools: items((tool) => flat(nestedTool(tool) as Json)),
  tool_choice: (choice) => (choice === 'any' ? 'required' : flat(choice)),
  reasoning: fields({ effort: (effort) => effortOf(effort) as Json }),
  text: fields({ format: flatFormat }),
  max_output_tokens: (most) => (most === -1 ? null : most),
  metadata: texts,
});
