import { TOKENS } from '#domain/inference/index.js';

type Tokens = (typeof TOKENS)[number];

/** Decorates a property for each kind of tokens, in the place of the first: `@PerTokenKind(...) input_tokens!: number`. */
export const PerTokenKind =
  (name: 'field' | 'countField' | 'price', decorate: (tokens: Tokens) => PropertyDecorator): PropertyDecorator =>
  (target) => {
    for (const tokens of TOKENS) decorate(tokens)(target, tokens[name]);
  };
