import type { ReactElement } from 'react';
import { number, percent } from './values.js';
import { SpanText, type Span } from './spans.js';
import { isRecord, json, type Fields } from './json.js';

interface Props {
  readonly text: string;
  /** An answer of an encoder: entities, classes and what else it found. */
  readonly output: unknown;
  /** What is less confident than this is left out. */
  readonly threshold?: number;
}

interface Chosen {
  readonly task: string;
  readonly label: string;
  readonly confidence: number | undefined;
}

/** An encoder's answer: entities drawn in the text, classes with their confidence, and the rest as JSON. */
export function Answer({ text, output, threshold = 0 }: Props): ReactElement {
  const { entities, ...rest } = isRecord(output) ? output : {};
  const passes = ({ confidence }: { readonly confidence?: number | undefined }): boolean =>
    confidence === undefined || confidence >= threshold;
  const spans = spansOf(text, entities).filter(passes);
  const read = Object.entries(rest).map(([task, value]) => [task, value, chosenIn(task, value)] as const);
  const chosen = read.flatMap(([, , each]) => each ?? []).filter(passes);
  const other = read.filter(([, , each]) => each === null).map(([task, value]) => [task, value]);
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
      {other.length > 0 && (
        <pre tabIndex={0} aria-label="What else the answer has" className="overflow-auto font-mono text-sm">
          {json(Object.fromEntries(other))}
        </pre>
      )}
    </div>
  );
}

/** The API counts code points, the browser UTF-16 code units: they differ after characters beyond U+FFFF. */
function spansOf(text: string, entities: unknown): readonly Span[] {
  if (!isRecord(entities)) return [];
  const points = Array.from(text);
  const units = (position: number): number => points.slice(0, position).join('').length;
  return Object.entries(entities).flatMap(([label, found]) =>
    (Array.isArray(found) ? found : [found]).filter(Boolean).flatMap((one: unknown): Span[] => {
      const { text: part, start, end, confidence }: Fields = isRecord(one) ? one : { text: one };
      const sure = typeof confidence === 'number' ? { confidence } : {};
      if (typeof start === 'number' && typeof end === 'number')
        return [{ start: units(start), end: units(end), label, ...sure }];
      const at = typeof part === 'string' ? text.indexOf(part) : -1;
      return at < 0 ? [] : [{ start: at, end: at + String(part).length, label, ...sure }];
    }),
  );
}

/** @returns null for what is no answer of classes */
function chosenIn(task: string, value: unknown): readonly Chosen[] | null {
  const each: readonly unknown[] = Array.isArray(value) ? value : [value];
  const read = each.map((one): Chosen | null => {
    if (typeof one === 'string') return { task, label: one, confidence: undefined };
    if (!isRecord(one) || typeof one['label'] !== 'string') return null;
    const { label, confidence } = one;
    return { task, label, confidence: typeof confidence === 'number' ? confidence : undefined };
  });
  return read.every((one) => one !== null) ? read : null;
}
