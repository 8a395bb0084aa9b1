import type { Json, JsonObject } from '#domain/json.js';
import { quote } from '../../rows/spans.js';
import { joinTokens, tokensIn, tokenSpan, type JoinedTokens } from '../parts/joined-tokens.js';
import type { GivenSpan, Layout } from '../layout.js';
import { looksLikeTag, stretchesOf, UNTAGGED_LINE } from '../parts/tags.js';

const TOKENS = ['tokens', 'words', 'tokenized_text', 'sentence'];
const TAGS = [
  // Where `column_mapping` names it.
  'entities',
  'ner_tags',
  'tags',
  'ner',
  'labels',
  'bio_tags',
  'bio_labels',
  'word_labels',
  'entity_tags',
  'fine_ner_tags',
  'label',
  'Tag',
];

/** Tokens with a tag each, as data sets for token classification have them. */
export const tokens: Layout = {
  name: 'tokens',
  title: 'tokens with tags',
  unit: 'sentences',
  offsets: 'code points',
  needs: [
    { what: `a list of texts under ${TOKENS.slice(0, 3).join(', ')}`, holds: (row) => tokensKey(row) !== undefined },
    {
      what: `a list as long, of tags such as B-person, under ${TAGS.slice(1, 6).join(', ')}`,
      holds: (row) => (tagsKey(row) ?? otherTagsKey(row)) !== undefined && !hasOwnLabels(row),
    },
  ],
  read(row, context) {
    const from = tokensKey(row);
    const key = tagsKey(row) ?? otherTagsKey(row);
    if (from === undefined || key === undefined) {
      context.refuse('', `must have a list of tokens and one of tags that is as long, as the rows before it`);
      return [];
    }
    const words = tokensUnder(row, from);
    const list = tagsUnder(row, key)!;
    if (list.length !== words.length) {
      const line = row[UNTAGGED_LINE];
      const reason = typeof line === 'string' ? `the line ${quote(line)} has none` : 'each token has one';
      context.refuse(key, `has ${list.length} tags for the ${words.length} tokens under ${from}; ${reason}`);
      return [];
    }
    const number = list.find((tag) => typeof tag === 'number');
    if (number !== undefined) {
      context.refuse(
        key,
        `has numbers of tags, such as ${number}, whose names are not in the file; label_names says them`,
      );
      return [];
    }
    if (list.some((tag) => tag === null)) {
      context.leaveUnlabelled('without tags');
      return [];
    }
    if (words.length === 0) {
      context.tell('without tokens');
      return [];
    }
    const joined = (typeof row.text === 'string' ? tokensIn(row.text, words) : null) ?? joinTokens(words);
    const outer = spansOf(joined, list as readonly string[], key);
    const nested = isTexts(row[NESTED]) && row[NESTED].length === words.length ? row[NESTED] : [];
    const inner = spansOf(joined, nested, NESTED).filter((span) => !outer.some((each) => isSame(each, span)));
    if (inner.length > 0) context.tell('nested spans', inner.length);
    const entities = context.entities(joined.text, [...outer, ...inner]);
    return [{ text: joined.text, entities, ...(row.id !== undefined && { id: row.id }) }];
  },
};

/** A second layer of tags, as GermEval 2014 has it. */
const NESTED = 'nested_ner_tags';

const spansOf = (joined: JoinedTokens, tags: readonly string[], at: string): readonly GivenSpan[] =>
  stretchesOf(tags).map(({ first, last, label }) => tokenSpan(joined, first, last, label, `${at}[${first}]`));

const isSame = (a: GivenSpan, b: GivenSpan): boolean => a.start === b.start && a.end === b.end && a.label === b.label;

/** Labels of the row's own text count, and tokens beside them are extra columns. */
const hasOwnLabels = ({ text, label, entities }: JsonObject): boolean =>
  text !== undefined && (typeof label === 'string' || entities !== undefined);

/** Tokens of a text between blanks, which Kaggle's tables have as `Sentence`. */
const TEXTS = ['sentence', 'Sentence', 'text'];

const isTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && (value as readonly Json[]).every((each) => typeof each === 'string');

const tokensKey = (row: JsonObject): string | undefined =>
  TOKENS.find((key) => isTexts(row[key])) ?? TEXTS.find((key) => typeof row[key] === 'string');

const tokensUnder = (row: JsonObject, key: string): readonly string[] => {
  const value = row[key];
  return typeof value === 'string' ? value.split(/ +/).filter(Boolean) : (value as readonly string[]);
};

/** The tags of a list, or of a text that has nothing but tags: `B-PER,O`. */
function tagsUnder(row: JsonObject, key: string): readonly Json[] | null {
  const value = row[key];
  if (Array.isArray(value)) return value as readonly Json[];
  const tags = typeof value === 'string' && key !== 'label' ? value.split(/[\s,]+/).filter(Boolean) : [];
  return tags.length > 0 && tags.every(looksLikeTag) ? tags : null;
}

/** The tags of a row that has too many or too few. */
function otherTagsKey(row: JsonObject): string | undefined {
  const isTag = (tag: Json) => typeof tag === 'string' && looksLikeTag(tag);
  return TOKENS.some((key) => isTexts(row[key]))
    ? TAGS.find((key) => {
        const list = row[key];
        if (!Array.isArray(list)) return false;
        if (list.length === 0) return row[UNTAGGED_LINE] !== undefined;
        return list.every(isTag) || (key === 'ner_tags' && list.every(Number.isInteger));
      })
    : undefined;
}

function tagsKey(row: JsonObject): string | undefined {
  const from = tokensKey(row);
  if (from === undefined) return undefined;
  const { length } = tokensUnder(row, from);
  const isText = typeof row[from] === 'string';
  return TAGS.find((key) => {
    const tags = tagsUnder(row, key);
    return (
      tags?.length === length &&
      (!isText || tags.some((tag) => typeof tag === 'string' && looksLikeTag(tag))) &&
      tags.every((tag) => typeof tag === 'string' || Number.isInteger(tag) || tag === null)
    );
  });
}
