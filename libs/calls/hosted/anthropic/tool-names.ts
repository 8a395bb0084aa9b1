import type { Json } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import { fields, items, text, type Change } from '../changed.js';
import type { NamedTools } from '../tool-names.js';

/** Names of the caller's tools in messages; those of the provider's own are fixed. */
export const MESSAGE_TOOLS: NamedTools = (nameOf) => {
  const name = text(nameOf);
  const block: Change = (value) => {
    const type = isRecord(value) ? value['type'] : undefined;
    if (type === 'tool_use') return fields({ name })(value);
    if (type === 'tool_reference') return fields({ tool_name: name })(value);
    // Results of tools, also of the provider's search for tools.
    return fields({ content: within, tool_references: items(block) })(value);
  };
  const within: Change = (value) => (Array.isArray(value) ? items(block) : block)(value);
  return {
    body: fields({
      tools: items((tool) => (isOwn(tool) ? fields({ name })(tool) : tool)),
      tool_choice: fields({ name }),
      messages: items(fields({ content: items(block) })),
    }),
    part: block,
  };
};

const isOwn = (tool: Json): boolean => isRecord(tool) && (tool['type'] ?? 'custom') === 'custom';
