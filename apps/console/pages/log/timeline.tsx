import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Time } from '../../components/values.js';

type Event = Schema['EventRecord'];

interface Props {
  readonly events: readonly Event[];
  /** Events of several streams say which. */
  readonly withStream?: boolean;
}

/** Events in an order, each with its content behind it. */
export const Timeline = ({ events, withStream = false }: Props): ReactElement => (
  <ol className="grid gap-3">
    {events.map((event) => (
      <li key={event.id} className="grid gap-1 border-l-2 border-line pl-3">
        <div className="flex flex-wrap items-baseline gap-x-3">
          {!withStream && <span className="text-sm text-muted tabular-nums">{event.revision}</span>}
          <span className="font-semibold break-all">{event.type}</span>
          <span className="text-sm text-muted">
            <Time at={event.occurred_at} seconds />
          </span>
        </div>
        <div className="text-sm break-all text-muted">
          {withStream && (
            <>
              in{' '}
              <Link to="/log" search={{ stream: event.stream }}>
                {event.stream}
              </Link>
              ,{' '}
            </>
          )}
          by{' '}
          <Link to="/log" search={{ actor: event.actor }}>
            {event.actor}
          </Link>
          , position {event.position}, request{' '}
          <Link to="/log" search={{ correlation_id: event.correlation_id }}>
            {event.correlation_id}
          </Link>
        </div>
        <details>
          <summary className="cursor-pointer text-sm text-accent">Content</summary>
          <pre
            tabIndex={0}
            aria-label={`Content of ${event.type}`}
            className="mt-1 max-h-96 overflow-auto rounded-md border border-line bg-back p-2 text-xs"
          >
            {JSON.stringify(event.data, null, 2)}
          </pre>
        </details>
      </li>
    ))}
  </ol>
);
