import { isRecord } from '#primitives/values.js';

type Fields = Readonly<Record<string, unknown>>;
type PartOf = (part: unknown) => unknown;

/**
 * A message as chat completions have it, and its parts as `partOf` has them. Clients write calls and results of tools as content, as
 * the Messages API has them, one part without a list, and an empty name.
 */
export function chatTurns(sent: unknown, partOf: PartOf): unknown[] {
  if (!isRecord(sent)) return [sent];
  const { name, ...unnamed } = sent;
  const message: Fields = name === '' ? unnamed : sent;
  const { role, content, tool_calls: calls } = message;
  if (!Array.isArray(content) && !isPart(content, role)) return [message];
  const parts = [content].flat().map(partOf);
  if (role === 'assistant') {
    const made = parts.filter(isCall);
    if (made.length === 0) return [{ ...message, content: parts }];
    const known = Array.isArray(calls) ? (calls as readonly unknown[]) : [];
    const ids = new Set(known.map((call) => (isRecord(call) ? call['id'] : null)));
    const others = made.filter(({ id }) => !ids.has(id)).map(callOf);
    return [{ ...message, content: parts.filter((part) => !isCall(part)), tool_calls: [...known, ...others] }];
  }
  const results = role === 'user' ? parts.filter(isResult) : [];
  if (results.length === 0) return [{ ...message, content: parts }];
  const rest = parts.filter((part) => !isResult(part));
  return [
    ...results.map((result) => resultOf(result, partOf)),
    ...(rest.length > 0 ? [{ ...message, content: rest }] : []),
  ];
}

/** Another object is what a tool gave. */
const isPart = (content: unknown, role: unknown): boolean =>
  isRecord(content) &&
  (typeof content['text'] === 'string' || (role !== 'tool' && typeof content['type'] === 'string'));

const isCall = (part: unknown): part is Fields => isRecord(part) && part['type'] === 'tool_use';
const isResult = (part: unknown): part is Fields => isRecord(part) && part['type'] === 'tool_result';

const callOf = ({ id, name, input, cache_control }: Fields): Fields => ({
  ...{ id, type: 'function', function: { name, arguments: input } },
  ...(cache_control !== undefined && { cache_control }),
});

function resultOf({ tool_use_id: id, content, is_error: isError, cache_control }: Fields, partOf: PartOf): Fields {
  const parts = Array.isArray(content) ? content.map(partOf) : content;
  const told = isError === true ? [partOf('Error:'), ...listOf(parts).map(partOf)] : parts;
  return { role: 'tool', tool_call_id: id, content: told, ...(cache_control !== undefined && { cache_control }) };
}

const listOf = (content: unknown): readonly unknown[] => {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [content] : [];
};
