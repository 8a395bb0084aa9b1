import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import { joinTokens, tokenSpan } from '../parts/joined-tokens.js';
import type { GivenSpan, Layout, RowContext } from '../layout.js';
import { relationsOf, textsOf } from '../parts/relations.js';

/**
 * Training rows of GLiNER: tokens, `[first, last, label]` with the last token inclusive, and `relations` as `[head, tail, name]`,
 * places in `ner`.
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
  read({ tokenized_text: words, ner, relations, id }, context) {
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
    const entities = context.entities(joined.text, spans);
    return [
      {
        ...{ text: joined.text, entities },
        ...(Array.isArray(relations) && {
          relations: linked(relations as readonly Json[], spans, entities, context),
        }),
        ...(id !== undefined && { id }),
      },
    ];
  },
};

/** Relations in our own form stay. */
function linked(
  relations: readonly Json[],
  spans: readonly GivenSpan[],
  entities: readonly Json[],
  context: RowContext,
): readonly JsonObject[] {
  const texts = textsOf(spans, entities, new Map(spans.map((span, index) => [index, span])));
  return relations.flatMap((relation) => {
    if (isObject(relation) && Object.values(relation).every(isObject)) return [relation];
    const [from, to, name] = Array.isArray(relation)
      ? (relation as readonly Json[])
      : isObject(relation)
        ? [relation.head, relation.tail, relation.type ?? relation.label ?? relation.relation]
        : [];
    return relationsOf([{ from, to, name }], texts, context);
  });
}

const isTexts = (value: Json | undefined): value is readonly string[] & Json =>
  Array.isArray(value) && value.length > 0 && (value as readonly Json[]).every((each) => typeof each === 'string');
