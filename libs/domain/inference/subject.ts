import { isJsonObject, type JsonObject } from '../json.js';

/** The person that a request is made for, as it says: `user` or `safety_identifier` (OpenAI), or `metadata.user_id` (Anthropic). */
export function subjectOf({ user, safety_identifier: identifier, metadata }: JsonObject): string | null {
  const named = [user, identifier, isJsonObject(metadata) ? metadata['user_id'] : null];
  return (named.find((each) => typeof each === 'string' && each !== '') as string | undefined) ?? null;
}
