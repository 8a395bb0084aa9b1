import { SpanKind, traced, traceHeaders } from '#primitives/tracing/index.js';
import type { EventStore } from './port.js';
import { joined } from './wrappers.js';

/** A log whose appends are spans, and whose events name the trace in which they were appended. */
export function tracedStore(store: EventStore): EventStore {
  const append: EventStore['append'] = (stream, expected, events, inPlaceOf) =>
    traced(`append ${stream.split('-', 1)[0]!}`, attributesOf(events.length), () => {
      const { traceparent } = traceHeaders() ?? {};
      const named =
        traceparent === undefined
          ? events
          : events.map((event) => ({ ...event, metadata: { ...event.metadata, traceparent } }));
      return store.append(stream, expected, named, inPlaceOf);
    });
  return Object.assign(joined(store, store), {
    append,
    ...(store.held && { held: store.held }),
    ...(store.archive && { archive: store.archive.bind(store) }),
    ...(store.seal && { seal: store.seal }),
  });
}

const attributesOf = (events: number) => ({
  kind: SpanKind.CLIENT,
  attributes: { 'db.operation.name': 'append', 'db.operation.batch.size': events },
});
