import type { Prompt } from './prompt.js';
import { wordsOf, type Word } from './words.js';

/** A longer word fits in no window, and is not even tokenized, which would take long. */
const MAX_WORD_CHARACTERS = 10_000;

/** A text as a model reads it beside a schema. */
export interface ReadText {
  /** What was read of the text. */
  readonly text: string;
  /** With a full stop after the text, if it ends without one: models were trained on texts that end so. */
  readonly words: readonly (Word & { readonly ids: readonly number[] })[];
  /** Tokens of the text. */
  readonly inputTokens: number;
  /** The text was cut. */
  readonly truncated: boolean;
}

/** Reads as many words of a text as fit beside a schema. */
export function readText(text: string, prompt: Prompt, tokens: (text: string) => readonly number[]): ReadText {
  const readable = text.toWellFormed();
  let [end, inputTokens, truncated] = [0, 0, false];
  for (const word of wordsOf(readable)) {
    const ids = word.end - word.start > MAX_WORD_CHARACTERS ? null : tokens(word.lower);
    truncated = ids === null || inputTokens + ids.length > prompt.textTokens;
    if (truncated) break;
    inputTokens += ids!.length;
    end = word.end;
  }
  const read = truncated ? readable.slice(0, end) : readable;
  const whole = /[.!?]$/.test(read) ? read : `${read}.`;
  const words = end === 0 ? [] : [...wordsOf(whole)].map((word) => ({ ...word, ids: tokens(word.lower) }));
  return { text: read, words, inputTokens, truncated };
}
