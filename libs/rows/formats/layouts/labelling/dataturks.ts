import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { GivenSpan, Layout } from '../layout.js';

/**
 * Documents of Dataturks, where the end of a point is its last character: `{"content", "annotation": [{"label",
 * "points"}]}`.
 */
export const dataturks: Layout = {
  name: 'dataturks',
  title: 'Dataturks JSON',
  unit: 'documents',
  toolKeys: /^(?:annotation|content|extras|metadata)$/,
  offsets: 'code points',
  needs: [
    { what: '"content"', holds: ({ content }) => typeof content === 'string' },
    { what: '"annotation" with a list of labels and points', holds: (row) => annotationsOf(row) !== null },
  ],
  read(row, context) {
    const { content: text } = row;
    if (row.annotation === null) {
      context.leaveUnlabelled('without annotations');
      return [];
    }
    const annotations = annotationsOf(row);
    if (typeof text !== 'string' || annotations === null) {
      context.refuse('', 'must have "content" and "annotation", as the rows before it');
      return [];
    }
    const spans = annotations.flatMap(({ label, points }, index) =>
      labelsOf(label).flatMap((name) =>
        (points as readonly JsonObject[]).flatMap((point, at) => {
          const span = spanOf(point, name, `annotation[${index}].points[${at}]`);
          if (span === null) context.tell('points without a text left out');
          return span ?? [];
        }),
      ),
    );
    return [{ text, entities: context.entities(text, spans) }];
  },
};

function annotationsOf({ annotation }: JsonObject): readonly JsonObject[] | null {
  const isOne = (each: Json) =>
    isObject(each) && Array.isArray(each.points) && (each.points as readonly Json[]).every(isObject);
  return Array.isArray(annotation) && (annotation as readonly Json[]).every(isOne)
    ? (annotation as readonly JsonObject[])
    : null;
}

const labelsOf = (label: Json | undefined): readonly string[] =>
  (Array.isArray(label) ? (label as readonly Json[]) : [label ?? null]).filter((each) => typeof each === 'string');

/** A point without the blanks around it, which people marked along. */
function spanOf({ start, end, text }: JsonObject, label: string, at: string): GivenSpan | null {
  if (typeof start !== 'number' || typeof end !== 'number') return null;
  if (typeof text !== 'string') return { start, end: end + 1, label, at };
  const trimmed = text.trim();
  const from = start + text.length - text.trimStart().length;
  return trimmed === '' ? null : { start: from, end: from + trimmed.length, label, at, text: trimmed };
}
