/** Far above what any model takes: they keep numbers sane. */
export const MOST_TOKENS = 10_000_000;
export const MOST_STOPS = 8_191;
export const MOST_MESSAGES = 100_000;
export const MOST_BLOCKS = 100_000;
export const MOST_TOOLS = 10_000;
/** What this style takes at least (https://platform.claude.com/docs/en/build-with-claude/thinking). */
export const LEAST_BUDGET = 1_024;
