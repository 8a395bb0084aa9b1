/** Characters of a description that count: a sentence or two. */
export const MAX_DESCRIPTION_CHARACTERS = 500;

/**
 * The words of a label: "card_arrival" and "cardArrival" are "card arrival".
 */
export function wordsOfLabel(label: string): string {
  return label
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

/** Whether a reader can understand the name ("refund", not "3" or "B"). */
export function isTelling(label: string): boolean {
  return (label.match(/\p{L}/gu)?.length ?? 0) >= MIN_LETTERS;
}

const MIN_LETTERS = 3;
