/**
 * Characters that a terminal or a page acts on instead of showing them: controls (C0, DEL, C1), line and paragraph separators, changes
 * of direction, and halves of characters.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const EACH = new RegExp(UNPRINTABLE.source, 'gu');

/** Whether a text can be a name: every character is visible. */
export const isPrintable = (text: string): boolean => !UNPRINTABLE.test(text);

/** Escapes unprintable characters as JSON does: `\u001b[31m`. JSON keeps its value. */
export const printable = (text: string): string =>
  text.replace(EACH, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same, line by line. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
