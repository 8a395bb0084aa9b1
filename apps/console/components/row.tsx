import type { ReactElement } from 'react';
import { isRecord, json, type Fields } from './json.js';
import { spansOf } from './row-spans.js';
import { coloursOf } from './label-colours.js';
import { SpanText } from './spans.js';

interface Props {
  /** In the form of datasets, or an answer of an evaluation beside its text. */
  readonly row: Fields;
}

/** A row of a dataset, drawn: entities in the text, classes, structures, relations, messages; the rest as JSON. */
export function Row({ row }: Props): ReactElement {
  const { text, entities, label, labels, json_structures, relations, messages, ...others } = row;
  const classes = [label, labels].flat().filter((each) => typeof each === 'string');
  return (
    <div className="grid min-w-0 gap-1">
      {typeof text === 'string' && <SpanText text={text} spans={spansOf(text, entities)} />}
      {classes.length > 0 && <p className="text-sm text-muted">Class: {classes.join(', ')}</p>}
      {isRecord(labels) && (
        <ul className="text-sm text-muted">
          {Object.entries(labels).map(([task, own]) => (
            <li key={task}>
              {task}: {valueOf(own) || 'none'}
            </li>
          ))}
        </ul>
      )}
      <Structures structures={recordsOf(json_structures)} />
      <Relations relations={recordsOf(relations)} />
      <Messages messages={messages} />
      {Object.keys(others).length > 0 && (
        <pre tabIndex={0} aria-label="What else the row has" className="code text-xs">
          {json(others)}
        </pre>
      )}
    </div>
  );
}

/** Each record is `{name: content}`. */
const recordsOf = (list: unknown): readonly (readonly [string, Fields])[] =>
  (Array.isArray(list) ? (list as readonly unknown[]) : []).flatMap((each) =>
    isRecord(each) ? Object.entries(each).filter((entry): entry is [string, Fields] => isRecord(entry[1])) : [],
  );

const valueOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(valueOf).join(', ')
    : typeof value === 'string'
      ? value
      : isRecord(value) && typeof value['value'] === 'string'
        ? value['value']
        : JSON.stringify(value);

/** Records, each with the name of its structure. */
export const Structures = ({
  structures,
}: {
  readonly structures: readonly (readonly [string, Fields])[];
}): ReactElement | null =>
  structures.length === 0 ? null : (
    <ul className="flex flex-wrap gap-2">
      {structures.map(([name, fields], index) => (
        <li key={index} className="rounded-md border border-line text-sm">
          <p className="rounded-t-md px-2 py-0.5 font-semibold" style={{ background: coloursOf(name).tint }}>
            {name}
          </p>
          <dl className="grid grid-cols-[auto_1fr] gap-x-3 px-2 py-1">
            {Object.entries(fields).map(([field, value]) => (
              <div key={field} className="col-span-2 grid grid-cols-subgrid">
                <dt className="text-muted">{field}</dt>
                <dd>{valueOf(value) || '–'}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );

/** Relations, each with its type. */
export const Relations = ({
  relations,
}: {
  readonly relations: readonly (readonly [string, Fields])[];
}): ReactElement | null =>
  relations.length === 0 ? null : (
    <ul className="grid gap-1 text-sm">
      {relations.map(([name, { head, tail }], index) => (
        <li key={index} className="flex flex-wrap items-center gap-1.5">
          <span className="rounded border border-line px-1.5">{valueOf(head)}</span>
          <span aria-hidden>→</span>
          <span className="rounded px-1.5 font-semibold" style={{ background: coloursOf(name).tint }}>
            {name}
          </span>
          <span aria-hidden>→</span>
          <span className="rounded border border-line px-1.5">{valueOf(tail)}</span>
        </li>
      ))}
    </ul>
  );

const Messages = ({ messages }: { readonly messages: unknown }): ReactElement | null =>
  !Array.isArray(messages) ? null : (
    <ol className="grid gap-1 text-sm">
      {(messages as readonly unknown[]).filter(isRecord).map(({ role, content }, index) => (
        <li key={index} className="grid grid-cols-[6rem_1fr] gap-2">
          <span className="text-muted">{valueOf(role)}</span>
          <span dir="auto" className="whitespace-pre-wrap">
            {valueOf(content)}
          </span>
        </li>
      ))}
    </ol>
  );
