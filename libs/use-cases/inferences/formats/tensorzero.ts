import type { Json, JsonObject } from '#domain/json.js';
import { asList, asObject, Fields, required } from './fields.js';
import type { Format } from './format.js';
import { feedbackOn, thumbIn } from './verdicts.js';

/**
 * Inferences of TensorZero: of `POST /v1/inferences/list_inferences`, or rows of the tables `ChatInference` and `JsonInference`,
 * to which a query may add a `demonstration`, boolean `metrics` by name, and a `comment`.
 */
export const tensorzero: Format = {
  is: (row) => 'function_name' in row && 'variant_name' in row,
  read(row) {
    const fields = new Fields(row);
    const created = fields.time('timestamp');
    const own = fields.json('output');
    // Asked for demonstrations, the API has them as the output, and the model's own answer beside them.
    const dispreferred = asList(fields.json('dispreferred_outputs'))?.[0];
    const output = answerOf(dispreferred ?? own);
    const demonstration = fields.json('demonstration') ?? (dispreferred === undefined ? null : own);
    const error = fields.text('error');
    const tags = fields.object('tags');
    const { tools, ...extra } = toolsOf(fields);
    const line = {
      id: required(fields.text('inference_id', 'id'), 'inference_id'),
      model_id: required(fields.text('function_name'), 'function_name'),
      base_model: fields.text('variant_name'),
      created_at: required(created, 'timestamp'),
      input: { messages: messagesOf(fields.object('input') ?? {}), ...(tools && { tools }) },
      output: error === null ? output : null,
      ...{ task: 'generate', format: 'openai', status: error === null ? 'success' : 'failed' },
      error_message: error?.slice(0, 10_000) ?? null,
      latency_ms: fields.amount('processing_time_ms'),
      ttft_ms: fields.amount('ttft_ms'),
      user: typeof tags?.['user_id'] === 'string' ? tags['user_id'] : null,
      metadata: tags,
      ...feedbackOn(output, {
        isRight: thumbIn(asObject(row['metrics']) ?? {}),
        corrected: demonstration === null ? null : answerOf(demonstration),
        notes: fields.text('comment'),
      }),
    };
    return { line, origin: { ...fields.rest(), ...extra } };
  },
};

/** Tools that the request itself brought. */
function toolsOf(fields: Fields): { readonly tools?: readonly Json[] } & JsonObject {
  const additional = asList(fields.json('additional_tools')) ?? [];
  const tools = additional.map((tool) => ({ type: 'function', function: asObject(tool) ?? tool }));
  return tools.length > 0 ? { tools } : {};
}

function messagesOf({ system, messages }: JsonObject): readonly Json[] {
  const first = system === undefined || system === null ? [] : [{ role: 'system', content: textOf(system) }];
  return [...first, ...(asList(messages) ?? []).flatMap((each) => messagesIn(asObject(each) ?? {}))];
}

/** A message as OpenAI has it: results of tools are messages of their own. */
function messagesIn({ role, content }: JsonObject): readonly Json[] {
  const blocks = asList(content);
  if (blocks === null) return [{ role: role ?? 'user', content: textOf(content ?? '') }];
  const results = blocks.flatMap((block) => {
    const { type, id, result } = asObject(block) ?? {};
    return type === 'tool_result' ? [{ role: 'tool', tool_call_id: id ?? '', content: textOf(result ?? '') }] : [];
  });
  const others = blocks.filter((block) => asObject(block)?.['type'] !== 'tool_result');
  return others.length > 0 ? [...results, { role: role ?? 'user', ...partsOf(others) }] : results;
}

/** The answer of a chat function, a message; the text of a JSON function. */
function answerOf(output: Json): Json {
  const blocks = asList(output);
  if (blocks !== null) return { role: 'assistant', ...partsOf(blocks) };
  const { raw, parsed } = asObject(output) ?? {};
  if (typeof raw === 'string') return raw;
  return parsed === undefined || parsed === null ? output : JSON.stringify(parsed);
}

function partsOf(blocks: readonly Json[]): JsonObject {
  const calls = blocks.flatMap((block) => {
    const { type, id, name, raw_name, arguments: parsed, raw_arguments: raw } = asObject(block) ?? {};
    if (type !== 'tool_call') return [];
    const called = { name: name ?? raw_name ?? '', arguments: textOf(raw ?? parsed ?? {}) };
    return [{ id: id ?? '', type: 'function', function: called }];
  });
  const parts = blocks.filter((block) => asObject(block)?.['type'] !== 'tool_call').map(partOf);
  const texts = parts.map((part) => (typeof part === 'string' ? part : null));
  const content =
    parts.length === 0 ? null : texts.every((text) => text !== null) ? texts.join('\n') : parts.map(typed);
  return { content, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** The text of a block, or the block itself. Arguments of a template are what was said. */
function partOf(block: Json): Json {
  const { type, text, value, arguments: given } = asObject(block) ?? {};
  if (type === 'text') return textOf(text ?? value ?? given ?? '');
  return type === 'template' ? textOf(given ?? '') : block;
}

const typed = (part: Json): Json => (typeof part === 'string' ? { type: 'text', text: part } : part);
const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
