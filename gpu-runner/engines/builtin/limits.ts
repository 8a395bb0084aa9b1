/**
 * Tokens of one text that the entity, structure and relation heads read; an answer has `truncated` if the text is
 * longer.
 */
export const MAX_TEXT_TOKENS = 50_000;
