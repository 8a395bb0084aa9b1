/**
 * Whether two texts are equal but for white space: browsers give a selection with other blanks than the text has, and Label Studio writes a
 * line break as `\n`.
 */
export const areAlike = (a: string, b: string): boolean => a === b || solid(a) === solid(b);

/** A text without white space, written out or escaped. */
export const solid = (text: string): string => text.replaceAll(/[\s\u200b]|\\[nrt]/g, '');
