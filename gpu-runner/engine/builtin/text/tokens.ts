// The engine reads the tokens in which reports on datasets count.
export { tokenize, tokensOf, type Token } from '#primitives/text/tokens.js';
