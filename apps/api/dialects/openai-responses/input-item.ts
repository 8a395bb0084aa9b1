import type { JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';

const PREFIXES: Readonly<Record<string, string>> = {
  ...{ message: 'msg', function_call: 'fc', function_call_output: 'fco', reasoning: 'rs', item_reference: 'ref' },
  ...{ custom_tool_call: 'ctc', custom_tool_call_output: 'ctco', additional_tools: 'at', compaction: 'cmp' },
};

/** The long form of an item: with a type, an id, a status and a list of parts. */
export function inputItem(item: JsonObject, suffix: string): JsonObject {
  const type =
    typeof item['type'] === 'string' ? item['type'] : isRecord(item) && 'role' in item ? 'message' : 'item_reference';
  const { content } = item;
  const part = item['role'] === 'assistant' ? 'output_text' : 'input_text';
  return {
    status: 'completed',
    ...item,
    type,
    id: typeof item['id'] === 'string' ? item['id'] : `${PREFIXES[type]}_${suffix}`,
    ...(typeof content === 'string' && { content: [{ type: part, text: content }] }),
  };
}
