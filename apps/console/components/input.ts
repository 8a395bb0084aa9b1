import { isRecord } from './json.js';

/** The text of a call's input, in any shape that routes record; empty if there is none. */
export function textOfInput(input: unknown): string {
  if (typeof input === 'string') return input;
  if (Array.isArray(input)) return textOfInput(input.at(-1));
  if (!isRecord(input)) return '';
  return textOfInput(input['text'] ?? input['content'] ?? input['messages'] ?? input['input']);
}
