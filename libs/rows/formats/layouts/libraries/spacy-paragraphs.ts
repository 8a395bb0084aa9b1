import type { Json, JsonObject } from '#domain/json.js';
import { isObject, listOf } from '../../rows/kinds.js';
import { joinTokens, tokensIn, tokenSpan } from '../parts/joined-tokens.js';
import type { Layout, RowContext } from '../layout.js';
import { stretchesOf } from '../parts/tags.js';

/**
 * Documents of spaCy's JSON for training, version 2: `{"paragraphs": [{"raw", "sentences": [{"tokens": [{"orth", "ner"}]}], "cats"}]}`.
 * @see https://v2.spacy.io/api/annotation#json-input
 */
export const spacyParagraphs: Layout = {
  name: 'spacy-paragraphs',
  title: 'spaCy JSON of version 2',
  unit: 'documents',
  toolKeys: /^/,
  offsets: 'UTF-16',
  needs: [
    {
      what: '{"paragraphs": [{"sentences": [{"tokens": [{"orth", "ner"}]}]}]}',
      holds: (row) => paragraphsOf(row) !== null,
    },
  ],
  read(row, context) {
    const paragraphs = paragraphsOf(row);
    if (paragraphs === null) {
      context.refuse('paragraphs', 'must be a list of objects with sentences of tokens, as in the rows before it');
      return [];
    }
    return paragraphs.flatMap((paragraph) => rowOf(paragraph, context));
  },
};

function rowOf({ raw, sentences, cats }: JsonObject, context: RowContext): readonly JsonObject[] {
  const tokens = listOf(sentences).flatMap((sentence) => listOf((sentence as JsonObject).tokens));
  const words = tokens.map((token) => (token as JsonObject).orth as string);
  if (words.length === 0) {
    context.tell('without tokens');
    return [];
  }
  const tags = tokens.map((token) => (token as JsonObject).ner);
  const known = tags.filter((tag) => typeof tag === 'string' && tag !== '-');
  if (known.length === 0 && listOf(cats).length === 0) {
    context.tell('without entities or classes left out');
    return [];
  }
  if (known.length > 0 && known.length < tags.length)
    context.tell('tokens that say nothing of entities read as outside of any', tags.length - known.length);
  const joined = (typeof raw === 'string' && tokensIn(raw, words)) || joinTokens(words);
  const spans = stretchesOf(tags.map((tag) => (typeof tag === 'string' ? tag : 'O'))).map(({ first, last, label }) =>
    tokenSpan(joined, first, last, label, `ner[${first}]`),
  );
  const classes = listOf(cats).flatMap((each) =>
    isObject(each) && typeof each.label === 'string' && Number(each.value) >= 0.5 ? [each.label] : [],
  );
  return [
    {
      text: joined.text,
      ...(known.length > 0 && { entities: context.entities(joined.text, spans) }),
      ...(listOf(cats).length > 0 && context.classes('cats', classes)),
    },
  ];
}

function paragraphsOf({ paragraphs }: JsonObject): readonly JsonObject[] | null {
  const list = listOf(paragraphs);
  return list.length > 0 && list.every(isParagraph) ? (list as readonly JsonObject[]) : null;
}

const isParagraph = (paragraph: Json): boolean =>
  isObject(paragraph) &&
  Array.isArray(paragraph.sentences) &&
  listOf(paragraph.sentences).every(
    (sentence) =>
      isObject(sentence) && listOf(sentence.tokens).every((token) => isObject(token) && typeof token.orth === 'string'),
  );
