import { pageCitations, type ProducedPart } from '#calls/index.js';
import { toolInput } from '#calls/hosted/anthropic/tool-input.js';
import type { Json, JsonObject } from '#domain/json.js';

type Foreign = Extract<ProducedPart, { type: 'foreign' }>;

/** The content block of a part; none if this dialect cannot express it. */
export function contentBlock(part: ProducedPart): JsonObject[] {
  switch (part.type) {
    case 'text': {
      const citations = citationsOf(part);
      return part.text === '' && !citations ? [] : [{ type: 'text', text: part.text, ...(citations && { citations }) }];
    }
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'thinking':
      if (part.redacted) return [{ type: 'redacted_thinking', data: part.signature ?? '' }];
      return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? '' }];
    case 'tool-call': {
      const { id, name, input } = part;
      return [{ ...{ type: 'tool_use', id, name }, input: toolInput(input), caller: DIRECT }];
    }
    case 'foreign':
      return part.style === 'anthropic' ? [assembled(part)] : [];
  }
}

/** The caller of a tool when no other tool is. */
export const DIRECT = { type: 'direct' } as const;

/** null: the block has no such field, as at Anthropic. Its SDK's type has null, which other clients refuse (`@ai-sdk/anthropic` 3). */
function citationsOf({ additions = [] }: ProducedPart): Json[] | null {
  const citations = additions.flatMap(({ style, value }) =>
    style === 'anthropic' && value['type'] === 'citations_delta' ? [value['citation']!] : [],
  );
  citations.push(...pageCitations(additions));
  return citations.length > 0 ? citations : null;
}

/** A block that only this style has, with the pieces that came after it began. */
function assembled({ value, deltas }: Foreign): JsonObject {
  if (deltas.length === 0) return value;
  const block = Object.fromEntries(Object.entries(value));
  let input = '';
  for (const { type, ...piece } of deltas) {
    const json = piece['partial_json'];
    if (type === 'input_json_delta' && typeof json === 'string') input += json;
    else for (const [name, more] of Object.entries(piece)) block[name] = joined(block[name], more);
  }
  if (input !== '') block['input'] = toolInput(input);
  return block;
}

const joined = (before: Json | undefined, more: Json | undefined): Json | undefined =>
  typeof before === 'string' && typeof more === 'string' ? before + more : more;
