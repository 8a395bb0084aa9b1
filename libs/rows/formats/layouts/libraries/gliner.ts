import type { Json } from '#domain/json.js';
import { joinTokens, tokenSpan } from '../parts/joined-tokens.js';
import type { GivenSpan, Layout } from '../layout.js';

/**
 * Training rows of GLiNER: tokens, and `[first, last, label]` with the last token inclusive.
 * @see https://urchade.github.io/GLiNER/training.html
 */
export const gliner: Layout = {
  name: 'gliner',
  title: 'GLiNER training rows',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    { what: '"tokenized_text" with a list of tokens', holds: ({ tokenized_text }) => isTexts(tokenized_text) },
    {
      what: '"ner" with a list of [first, last, label]',
      holds: ({ ner }) => Array.isArray(ner) && (ner as readonly Json[]).every(Array.isArray),
    },
  ],
  read({ tokenized_text: words, ner, id }, context) {
    if (!isTexts(words) || !Array.isArray(ner)) {
      context.refuse('', 'must have "tokenized_text" and "ner", as the rows before it');
      return [];
    }
    const joined = joinTokens(words);
    const spans: GivenSpan[] = [];
    for (const [index, entry] of (ner as readonly Json[]).entries()) {
      const [first, last, label] = (Array.isArray(entry) ? entry : []) as readonly Json[];
      const isWithin =
        Number.isInteger(first) && Number.isInteger(last) && Number(first) >= 0 && Number(last) < words.length;
      if (!isWithin || Number(first) > Number(last) || typeof label !== 'string' || label.trim() === '')
        context.refuse(
          `ner[${index}]`,
          `must be [first, last, label] of the ${words.length} tokens, which count from 0`,
        );
      else spans.push(tokenSpan(joined, Number(first), Number(last), label, `ner[${index}]`));
    }
    return [{ text: joined.text, entities: context.entities(joined.text, spans), ...(id !== undefined && { id }) }];
  },
};

const isTexts = (value: Json | undefined): value is readonly string[] & Json =>
  Array.isArray(value) && value.length > 0 && (value as readonly Json[]).every((each) => typeof each === 'string');
