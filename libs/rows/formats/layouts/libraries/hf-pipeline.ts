import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { GivenSpan, Layout, RowContext } from '../layout.js';

const LISTS = ['entities', 'output', 'outputs', 'predictions', 'ner', 'result'];

/**
 * A text with the answer of a token-classification pipeline of Hugging Face: aggregated (`entity_group`), or a tag for
 * each token (`entity`). `word` is the tokenizer's spelling, which may differ from the text. @see
 * https://huggingface.co/docs/transformers/main_classes/pipelines
 */
export const hfPipeline: Layout = {
  name: 'hf-pipeline',
  title: 'Hugging Face pipeline output',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    { what: '"text", which the pipeline does not repeat', holds: ({ text }) => typeof text === 'string' },
    {
      what: 'a list of {"entity_group" or "entity", "word", "start", "end"} under entities or output',
      holds: (row) => listOf(row) !== null,
    },
  ],
  read(row, context) {
    const { text } = row;
    const list = listOf(row) ?? emptyOf(row);
    if (typeof text !== 'string' || list === null) {
      context.refuse('', 'must have "text" and the list that the pipeline answered, as the rows before it');
      return [];
    }
    const spans = spansOf(list, context);
    return [{ text, entities: context.entities(text, spans), ...(row.id !== undefined && { id: row.id }) }];
  },
};

const isAnswer = (entry: Json): boolean =>
  isObject(entry) &&
  'word' in entry &&
  typeof (entry.entity_group ?? entry.entity) === 'string' &&
  Number.isInteger(entry.start) &&
  Number.isInteger(entry.end);

function listOf(row: JsonObject): readonly JsonObject[] | null {
  for (const key of LISTS) {
    const list = row[key];
    if (Array.isArray(list) && list.length > 0 && (list as readonly Json[]).every(isAnswer))
      return list as readonly JsonObject[];
  }
  return null;
}

const emptyOf = (row: JsonObject): readonly JsonObject[] | null =>
  LISTS.some((key) => Array.isArray(row[key]) && row[key].length === 0) ? [] : null;

/** Pieces of one entity become one span: those that follow each other with the same label, unless a B- begins another. */
function spansOf(list: readonly JsonObject[], context: RowContext): readonly GivenSpan[] {
  const spans: GivenSpan[] = [];
  let before: { readonly index: Json | undefined; readonly end: number } | null = null;
  for (const [position, { entity_group, entity, start, end, index }] of list.entries()) {
    const [, prefix, label] = /^(?:([BIESLU])-)?(.+)$/su.exec((entity_group ?? entity) as string) ?? [];
    if (label === undefined || label === 'O') continue;
    const span = { start: start as number, end: end as number, label, at: `entities[${position}]` };
    const last = spans.at(-1);
    const follows =
      before !== null && (typeof index === 'number' ? index === Number(before.index) + 1 : span.start === before.end);
    // A tag that begins an entity is on each piece of its first word, too.
    const begins = 'BSU'.includes(prefix ?? 'I') && span.start !== before?.end;
    if (entity_group === undefined && follows && last?.label === label && !begins)
      spans[spans.length - 1] = { ...last, end: span.end };
    else spans.push(span);
    before = { index, end: span.end };
  }
  if (spans.length < list.length && list.some(({ entity_group }) => entity_group === undefined))
    context.tell('with pieces of words joined');
  return spans;
}
