/** The key of a row of tokens for the line that has no tag, for the error of the row. */
export const UNTAGGED_LINE = 'untagged_line';

/** A stretch of tokens with one label; `last` inclusive. */
interface TaggedStretch {
  readonly first: number;
  readonly last: number;
  readonly label: string;
}

/**
 * The stretches that tags of tokens mark: IOB1, IOB2 (BIO), BIOES, BILOU, and labels alone (IO). An inside tag that continues no
 * stretch of its label begins one, as in IOB1.
 */
export function stretchesOf(tags: readonly string[]): TaggedStretch[] {
  const found: TaggedStretch[] = [];
  let isOpen = false;
  for (const [index, tag] of tags.entries()) {
    const parts = tagParts(tag);
    if (parts === null) {
      isOpen = false;
      continue;
    }
    const { prefix, label } = parts;
    const before = isOpen ? found.at(-1) : undefined;
    if (before?.label === label && !'BSU'.includes(prefix)) found[found.length - 1] = { ...before, last: index };
    else found.push({ first: index, last: index, label });
    isOpen = !'ESLU'.includes(prefix);
  }
  return found;
}

/** Null: outside. */
export function tagParts(tag: string): { readonly prefix: string; readonly label: string } | null {
  if (isOutside(tag)) return null;
  const [, prefix, label] = /^([BIESLUM])[-_](.+)$/su.exec(tag) ?? [];
  return prefix !== undefined && label !== undefined ? { prefix, label } : { prefix: 'I', label: tag };
}

const OUTSIDE = new Set(['O', 'o', '', '-', '_']);

/** Whether a tag says that its token is in no span. */
export const isOutside = (tag: string): boolean => OUTSIDE.has(tag);

/** Whether a text looks like a tag of a token. */
export const looksLikeTag = (text: string): boolean => text === 'O' || /^[BIESLU][-_]\S+$/u.test(text);
