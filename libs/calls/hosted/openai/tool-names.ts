import { isRecord } from '#primitives/values.js';
import { fields, items, text } from '../changed.js';
import type { NamedTools } from '../tool-names.js';

/** Names of tools in chat completions, and that of a JSON schema, which has the same alphabet. */
export const CHAT_TOOLS: NamedTools = (nameOf) => {
  const name = text(nameOf);
  const named = fields({ name });
  /** A tool, its call, or the choice of it. */
  const called = fields({ function: named, custom: named });
  const calling = fields({ tool_calls: items(called), function_call: named });
  const answering = (role: unknown) => role === 'tool' || role === 'function';
  return {
    body: fields({
      tools: items(called),
      functions: items(named),
      tool_choice: fields({ function: named, custom: named, allowed_tools: fields({ tools: items(called) }) }),
      function_call: named,
      messages: items((message) => (isRecord(message) && answering(message['role']) ? named : calling)(message)),
      response_format: fields({ json_schema: named }),
    }),
    part: calling,
  };
};
