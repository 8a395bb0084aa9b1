import { isRecord, type Json, type JsonObject } from '../json.js';

/** The person that a request names: `user` or `safety_identifier` (OpenAI), or `metadata.user_id` (Anthropic). */
export function subjectOf({ user, safety_identifier: identifier, metadata }: JsonObject): string | null {
  const named = [user, identifier, isRecord(metadata) ? metadata['user_id'] : null];
  return (named.find((each) => typeof each === 'string' && each !== '') as string | undefined) ?? null;
}

/** The texts of a recorded request, null if unknown, and whether its answer is a list with one result for each. */
export const textsAsked = (input: Json): { readonly texts: readonly string[] | null; readonly isBatch: boolean } => {
  const request = isRecord(input) ? input : {};
  return { texts: textsOf(request), isBatch: Array.isArray(request['text']) };
};

/** The texts of a recorded request, as encoders read them on each route: the last user message of chat-shaped ones. */
export function textsOf({ text, prompt, messages, input }: JsonObject): readonly string[] | null {
  if (typeof text === 'string') return [text];
  if (Array.isArray(text)) return text as readonly string[];
  const last = Array.isArray(messages ?? input)
    ? ((messages ?? input) as readonly Json[]).findLast((each) => isRecord(each) && each['role'] === 'user')
    : (prompt ?? input);
  const content = isRecord(last) ? (last['content'] as Json) : last;
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return null;
  const parts = (content as readonly Json[]).flatMap((part) => {
    const said = isRecord(part) ? part['text'] : part;
    return typeof said === 'string' ? [said] : [];
  });
  return parts.length > 0 ? [parts.join('\n')] : null;
}
