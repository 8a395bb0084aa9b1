import type { ContentPart, GenerationRequest } from '#hosted-models/port.js';

/**
 * About how many tokens a text is, rather too many than too few: a third of its UTF-8 bytes. English has about four bytes a
 * token, Chinese about three to four.
 */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

/** What the frame of a message costs. */
const TOKENS_A_MESSAGE = 8;

/** About how many tokens a request's messages and the schema of its answer are. */
export function estimateInput({ messages, responseFormat }: GenerationRequest): number {
  const schema = responseFormat?.type === 'json_schema' ? estimateTokens(JSON.stringify(responseFormat.schema)) : 0;
  return messages.reduce((sum, { content }) => sum + TOKENS_A_MESSAGE + ofParts(content), schema);
}

const ofParts = (parts: readonly ContentPart[]): number =>
  parts.reduce((sum, part) => sum + estimateTokens(part.type === 'text' ? part.text : JSON.stringify(part)), 0);
