import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { useNames } from '../../api/names.js';
import { positionOf, Time } from '../../components/values.js';

type Event = Schema['EventRecord'];

interface Props {
  readonly events: readonly Event[];
  /** Events of several streams say which. */
  readonly withStream?: boolean;
}

/** Events in an order, each with its content behind it. */
export function Timeline({ events, withStream = false }: Props): ReactElement {
  const names = useNames();
  return (
    <ol className="rows [&>li]:grid [&>li]:items-stretch [&>li]:gap-1">
      {events.map((event) => (
        <li key={event.id}>
          <div className="flex flex-wrap items-baseline gap-x-3">
            {!withStream && <span className="text-sm text-muted tabular-nums">{event.revision}</span>}
            <span className="font-[550] first-letter:uppercase">{wordsOf(event.type)}</span>
            <code className="text-xs break-all text-muted">{event.type}</code>
            <span className="ml-auto text-sm text-muted">
              <Time at={event.occurred_at} seconds />
            </span>
          </div>
          <p className="flex flex-wrap gap-x-3 text-sm text-muted">
            {withStream && (
              <span>
                in <Short of="stream" whole={event.stream} />
              </span>
            )}
            <span>
              by <Short of="actor" whole={event.actor} name={names.get(event.actor)} />
            </span>
            <span>
              request <Short of="correlation_id" whole={event.correlation_id} />
            </span>
            <span>position {positionOf(event.position)}</span>
          </p>
          <details>
            <summary className="cursor-pointer text-sm">Content</summary>
            <pre tabIndex={0} aria-label={`Content of ${event.type}`} className="code mt-1 max-h-96 text-xs">
              {JSON.stringify(event.data, null, 2)}
            </pre>
          </details>
        </li>
      ))}
    </ol>
  );
}

/** What happened: `model version promoted`. */
const wordsOf = (type: string): string => type.replace(/\.v\d+$/, '').replaceAll('-', ' ');

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A link to the events that have the same; of long ids, it shows the beginning. */
const Short = ({
  of,
  whole,
  name,
}: {
  readonly of: 'stream' | 'actor' | 'correlation_id';
  readonly whole: string;
  /** Stands for the id. */
  readonly name?: string | undefined;
}): ReactElement => (
  <Link to="/log" search={{ [of]: whole }} title={whole} className="break-all">
    {name ?? whole.replaceAll(ID, (id) => `${id.slice(0, 8)}…`)}
  </Link>
);
