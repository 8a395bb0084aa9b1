import type { ContentPart, GenerationRequest } from '#hosted-models/port.js';

/** What the frame of a message costs, and at most that of all messages. */
const TOKENS_A_MESSAGE = 8;
const MOST_AROUND_MESSAGES = 64;

/**
 * About how many tokens a text is, rather too many than too few: a third of its UTF-8 bytes. English has about four bytes a
 * token, Chinese about three to four.
 */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

/** About how many tokens a request's messages and the schema of its answer are. */
export const estimateInput = (request: GenerationRequest): number => inputOf(request, estimateTokens);

/** How many they are at most: a token of text is one byte or more. Some vocabularies have one for each digit. */
export const mostInput = (request: GenerationRequest): number =>
  MOST_AROUND_MESSAGES + inputOf(request, (text) => Buffer.byteLength(text));

function inputOf({ messages, responseFormat }: GenerationRequest, tokensOf: (text: string) => number): number {
  const schema = responseFormat?.type === 'json_schema' ? tokensOf(JSON.stringify(responseFormat.schema)) : 0;
  const ofPart = (part: ContentPart) => tokensOf(part.type === 'text' ? part.text : JSON.stringify(part));
  return messages.reduce(
    (sum, { content }) => sum + TOKENS_A_MESSAGE + content.reduce((parts, part) => parts + ofPart(part), 0),
    schema,
  );
}
