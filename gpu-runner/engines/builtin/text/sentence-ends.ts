import type { Token } from '#primitives/text/tokens.js';

/** Ends of sentences in Latin, Cyrillic, Greek, Hebrew, Chinese, Arabic, Indic, Armenian, Ethiopic, Burmese and Khmer texts. */
const ENDS = '.!?…。！？｡؟۔।॥։።။។';
const CLOSERS = `"'”’»)\\]`;
const SENTENCE_END = new RegExp(`^[${ENDS}]+$|[${ENDS}][${CLOSERS}]+$`, 'u');
const CLOSER = new RegExp(`^[${CLOSERS}]$`, 'u');
/** Distance before the end of a token in which sentence-ending marks are searched. */
const MARKS = 4;

/**
 * Whether a sentence ends with this token: with a stop ("3.5" and "Dr." have none of their own), or with a closing mark
 * after one.
 */
export const endsSentence = (text: string, { text: token, end }: Token): boolean =>
  SENTENCE_END.test(token) || (CLOSER.test(token) && SENTENCE_END.test(text.slice(Math.max(0, end - MARKS), end)));

/** Whether a token belongs to the sentence before it, although that already has its stop. */
export const closes = ({ text }: Token): boolean => CLOSER.test(text) || SENTENCE_END.test(text);
