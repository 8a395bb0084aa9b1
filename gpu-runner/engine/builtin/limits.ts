/** Tokens of one text that the entity, structure and relation heads read; an answer says `truncated` where the text has more. */
export const MAX_TOKENS = 50_000;
