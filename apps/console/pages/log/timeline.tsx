import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Time } from '../../components/values.js';

/** Events in their order, each with its content behind it. */
export const Timeline = ({ events }: { readonly events: readonly Schema['EventRecord'][] }): ReactElement => (
  <ol className="grid gap-3">
    {events.map((event) => (
      <li key={event.id} className="grid gap-1 border-l-2 border-line pl-3">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-sm text-muted tabular-nums">{event.revision}</span>
          <span className="font-semibold break-all">{event.type}</span>
          <span className="text-sm text-muted">
            <Time at={event.occurred_at} />
          </span>
        </div>
        <div className="text-sm break-all text-muted">
          by <code>{event.actor}</code>, position {event.position}, correlation <code>{event.correlation_id}</code>
        </div>
        <details>
          <summary className="cursor-pointer text-sm text-accent">Content</summary>
          <pre tabIndex={0} className="mt-1 max-h-96 overflow-auto rounded-md border border-line bg-back p-2 text-xs">
            {JSON.stringify(event.data, null, 2)}
          </pre>
        </details>
      </li>
    ))}
  </ol>
);
