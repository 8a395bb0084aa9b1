import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { Layout, RowContext } from '../layout.js';
import { isSpanEntry, spansOf } from '../parts/span-entries.js';

/**
 * Answers in the form of Prodigy's `db-out`. Only accepted ones are learned: a rejected one states what does not hold.
 * @see https://prodi.gy/docs/api-interfaces
 */
export const prodigy: Layout = {
  name: 'prodigy',
  title: 'Prodigy JSONL',
  unit: 'answers',
  toolKeys:
    /^(?:_.*|tokens|options|config|accept|html|head|child|style|priority|score|versions|user_input|field_.*|image|path)$/,
  offsets: 'code points',
  needs: [
    { what: '"text"', holds: ({ text }) => typeof text === 'string' },
    { what: '"answer" (accept, reject or ignore)', holds: ({ answer }) => ANSWERS.includes(answer as string) },
  ],
  read(row, context) {
    const { text, answer, meta } = row;
    if (answer === 'reject') context.tell('rejected');
    else if (answer === 'ignore') context.leaveUnlabelled('ignored');
    else if (answer !== 'accept') context.refuse('answer', 'must be accept, reject or ignore');
    else if (typeof text !== 'string') context.refuse('text', 'is missing');
    else {
      const heads = headsOf(row, text, context);
      if (heads === null) return [];
      if (Object.keys(heads).length > 0) return [{ text, ...heads, ...(meta !== undefined && { meta }) }];
      context.leaveUnlabelled('accepted without an annotation');
    }
    return [];
  },
};

const ANSWERS = ['accept', 'reject', 'ignore'];

function headsOf(row: JsonObject, text: string, context: RowContext): JsonObject | null {
  const spans = Array.isArray(row.spans) ? (row.spans as readonly Json[]) : null;
  const given = spans === null ? null : spansOf(spans.filter(hasLabel), 'spans', context);
  if (spans !== null && given === null) return null;
  return {
    ...(given !== null && { entities: context.entities(text, given) }),
    ...classesOf(row, context),
    ...(Array.isArray(row.relations) && { relations: relationsOf(row.relations as readonly Json[], text, context) }),
  };
}

const hasLabel = (span: Json): boolean => isObject(span) && span.label !== undefined;

/** The class that was asked about, or the options that were chosen. */
function classesOf({ label, accept, options }: JsonObject, context: RowContext): JsonObject {
  if (Array.isArray(accept) && Array.isArray(options))
    return context.classes(
      'options',
      (accept as readonly Json[]).map((id) => nameOf(id, options as readonly Json[])),
    );
  return typeof label === 'string' ? context.classes('label', [label]) : {};
}

/** The id of an option, or the text of one whose id is a number. */
function nameOf(id: Json, options: readonly Json[]): string {
  const option = typeof id === 'number' ? options.find((each) => isObject(each) && each.id === id) : undefined;
  return isObject(option) && typeof option.text === 'string'
    ? option.text
    : typeof id === 'string'
      ? id
      : JSON.stringify(id);
}

function relationsOf(relations: readonly Json[], text: string, context: RowContext): JsonObject[] {
  return relations.flatMap((relation) => {
    const { head_span, child_span, label } = isObject(relation) ? relation : ({} as JsonObject);
    const ends = [head_span, child_span].filter((end) => end !== undefined && isSpanEntry(end));
    if (typeof label !== 'string' || ends.length < 2) {
      context.tell('relations without a name or an end left out');
      return [];
    }
    const named = ends.map((end) => ({ ...(end as JsonObject), label }));
    const [head, tail] = context.placed(text, spansOf(named, 'relations', context) ?? []) as ({
      text: string;
    } | null)[];
    return head && tail ? [{ [label]: { head: head.text, tail: tail.text } }] : [];
  });
}
