/**
 * Tokens of one text that the entity, structure and relation heads read; an answer has `truncated` if the text is
 * longer.
 */
export const MAX_TEXT_TOKENS = 50_000;

/** Tokens whose vectors a head holds while it trains: a byte for each of 384 numbers, so 384 MB at most. */
export const MAX_VECTOR_TOKENS = 1_000_000;
/** Likewise, those that a classifier of relations holds beside them. */
export const MAX_PAIR_TOKENS = 400_000;
/** Likewise, of the rows that a head is judged by. */
export const MAX_JUDGED_TOKENS = 200_000;
