import { readFile } from 'node:fs/promises';
import { CodePoints } from '#domain/code-points.js';
import type { Example, InferResult, Prediction, Stretch, ValueHit } from '../engine.js';

/** Labels and offsets of an example, without its text. */
type Labels = Omit<Prediction, 'text'>;

/**
 * A row as Python takes it: its offsets are code points, no character is half a pair, and of choices it has the
 * stretches that say them.
 */
export const rowOf = (example: Example): Example => ({
  text: example.text.toWellFormed(),
  ...moved(example, new CodePoints(example.text).ofUtf16),
});

/**
 * The predictions that Python wrote for some rows, in their order.
 * @throws Error when the file is not of these rows
 */
export async function predictionsIn(path: string, rows: readonly Example[]): Promise<readonly Prediction[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  if (lines.length !== rows.length) throw new Error(`${path} has ${lines.length} predictions of ${rows.length} rows`);
  return rows.map(({ text }, row) => ({
    text,
    ...moved(JSON.parse(lines[row]!) as Labels, new CodePoints(text).toUtf16),
  }));
}

/** A result as Python gives it, with UTF-16 offsets. */
export function resultOf(text: string, result: InferResult): InferResult {
  const { toUtf16 } = new CodePoints(text);
  const at = <Hit extends ValueHit>(hit: Hit): Hit => {
    if (hit.start === undefined || hit.end === undefined) return hit;
    const [start, end] = [toUtf16(hit.start), toUtf16(hit.end)];
    return { ...hit, start, end, text: text.slice(start, end) };
  };
  const { entities, structures, relations } = result;
  return {
    ...result,
    ...(entities && { entities: mapped(entities, (hits) => hits.map(at)) }),
    ...(structures && {
      structures: mapped(structures, (records) => records.map((record) => mapped(record, (hits) => hits.map(at)))),
    }),
    ...(relations && {
      relations: mapped(relations, (pairs) => pairs.map(({ head, tail }) => ({ head: at(head), tail: at(tail) }))),
    }),
  };
}

function moved(labels: Labels, offset: (at: number) => number): Labels {
  const { entities, structures, relations, labels: classes, entityConfidences, labelConfidences } = labels;
  const at = ({ start, end }: Stretch): Stretch => ({ start: offset(start), end: offset(end) });
  return {
    ...(entities && { entities: entities.map((entity) => ({ ...at(entity), label: entity.label })) }),
    ...(classes && { labels: classes }),
    ...(structures && {
      structures: structures.map(({ name, fields }) => ({
        name,
        fields: fields.flatMap(({ choices = [], ...field }) =>
          field.values.length === 0 && choices.length > 0 ? [] : [{ ...field, values: field.values.map(at) }],
        ),
      })),
    }),
    ...(relations && {
      relations: relations.map(({ name, head, tail }) => ({ name, head: at(head), tail: at(tail) })),
    }),
    ...(entityConfidences && { entityConfidences }),
    ...(labelConfidences && { labelConfidences }),
  };
}

const mapped = <From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
