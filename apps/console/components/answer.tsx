import type { ReactElement } from 'react';
import { number, percent } from './values.js';
import { chosenIn } from './classes-in.js';
import { RELATIONS, spansIn } from './editor/output.js';
import { Relations, Structures } from './row.js';
import { SpanText } from './spans.js';
import { isRecord, json } from './json.js';

interface Props {
  readonly text: string;
  /** An answer of an encoder: entities, classes and what else it found. */
  readonly output: unknown;
  /** Findings below this confidence are left out. */
  readonly threshold?: number;
}

interface Confident {
  readonly confidence?: number | undefined;
}

/** Texts by field. */
type Shown = Readonly<Record<string, string>>;

/** An encoder's answer: entities drawn in the text, classes with their confidence, records, relations, and the rest as JSON. */
export function Answer({ text, output, threshold = 0 }: Props): ReactElement {
  const { entities, [RELATIONS]: related, ...rest } = isRecord(output) ? output : {};
  const passes = ({ confidence }: Confident): boolean => confidence === undefined || confidence >= threshold;
  const spans = spansIn(text, entities).filter(passes);
  const read = Object.entries(rest).map(([task, value]) => [task, value, chosenIn(task, value)] as const);
  const chosen = read.flatMap(([, , each]) => each ?? []).filter(passes);
  const left = read.filter(([, , each]) => each === null);
  const records = left.map(([name, value]) => [name, recordsIn(value, passes)] as const);
  const other = left.filter((_, index) => records[index]![1] === null).map(([name, value]) => [name, value]);
  return (
    <div className="grid gap-3">
      <SpanText text={text} spans={spans} />
      {entities !== undefined && (
        <p className="text-sm text-muted">
          {number(spans.length)} {spans.length === 1 ? 'entity' : 'entities'}
        </p>
      )}
      {chosen.length > 0 && (
        <dl className="grid gap-1">
          {chosen.map(({ task, label, confidence }) => (
            <div key={`${task} ${label}`} className="flex flex-wrap gap-x-2">
              <dt className="text-muted">{task}</dt>
              <dd>
                <strong>{label}</strong>
                {confidence !== undefined && `, confidence ${percent(confidence)}`}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Structures structures={records.flatMap(([name, all]) => (all ?? []).map((record) => [name, record] as const))} />
      <Relations relations={relationsIn(related, passes)} />
      {other.length > 0 && (
        <pre tabIndex={0} aria-label="What else the answer has" className="overflow-auto font-mono text-sm">
          {json(Object.fromEntries(other))}
        </pre>
      )}
    </div>
  );
}

/** A structure's records, one below the other; null for any other value. */
function recordsIn(value: unknown, passes: (one: Confident) => boolean): readonly Shown[] | null {
  if (!Array.isArray(value) || !value.every(isRecord)) return null;
  return value.map((record) =>
    Object.fromEntries(Object.entries(record).map(([field, found]) => [field, textsIn(found, passes).join(', ')])),
  );
}

/** Each relation whose ends pass, with its type. */
function relationsIn(value: unknown, passes: (one: Confident) => boolean): readonly (readonly [string, Shown])[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([type, found]) =>
    (Array.isArray(found) ? (found as readonly unknown[]) : []).flatMap((pair) => {
      const ends = Array.isArray(pair)
        ? (pair as readonly unknown[])
        : isRecord(pair)
          ? [pair['head'], pair['tail']]
          : [];
      const [head, tail] = ends.flatMap((end) => textsIn(end, passes));
      return head !== undefined && tail !== undefined ? [[type, { head, tail }] as const] : [];
    }),
  );
}

const textsIn = (value: unknown, passes: (one: Confident) => boolean): readonly string[] =>
  [value].flat().flatMap((one: unknown) => {
    if (typeof one === 'string') return [one];
    if (!isRecord(one) || typeof one['text'] !== 'string') return [];
    const { confidence, text } = one;
    return passes(typeof confidence === 'number' ? { confidence } : {}) ? [text] : [];
  });
