import type { JsonObject } from '#domain/json.js';
import {
  StreamNotFoundError,
  type EventFilter,
  type EventReader,
  type EventStore,
  type RecordedEvent,
} from '#ports/event-store/port.js';
import { OperationError, type Operations } from './operation.js';

/** Auditing the log: `events.tail`, `events.replay` and `events.check`. @param store gives events as they were stored */
export const eventOperations = (store: EventReader, check: EventStore['check']): Operations => ({
  /** Yields damage, `{position, problem}` each; last `{events, unchecked, damaged}`. */
  async *'events.check'(_args, signal) {
    let damaged = 0;
    for await (const message of check({ signal })) {
      if (message.kind === 'progress') yield { progress: { done: message.done, total: message.total, unit: 'events' } };
      else if (message.kind === 'damage') {
        damaged += 1;
        yield { position: message.position, problem: message.problem };
      } else yield { events: message.events, unchecked: message.unchecked, damaged };
    }
  },

  /** `{last, follow, types?, categories?}`: the newest events in log order, followed with `follow` by new ones. */
  async *'events.tail'(args, signal) {
    const filter = filterOf(args);
    const limit = Number(args['last'] ?? 20);
    const { position } = await store.head();
    let last: RecordedEvent | null = null;
    let found = 0;
    for await (const event of limit === 0 ? [] : store.readAll({ direction: 'backwards', filter, limit })) {
      last = event;
      found += 1;
    }
    if (last) yield frameOf(last);
    // Read again forwards, because any number of them may be requested, and none is kept.
    if (last && found > 1)
      for await (const event of store.readAll({ after: last.position, filter, limit: found - 1 })) {
        last = event;
        yield frameOf(event);
      }
    if (args['follow'] !== true) return;
    // Resumes after the last event shown, or else after the former end, so that events stored in between are not
    // missed.
    for await (const message of store.subscribe({ after: last?.position ?? position, filter, signal }))
      if (message.kind === 'events') yield* message.events.map(frameOf);
  },

  /** `{stream}`: one stream from its beginning. `{after?, types?, categories?, limit?}`: the log in order. */
  async *'events.replay'(args) {
    const stream = args['stream'];
    const limit = args['limit'] === undefined ? {} : { limit: Number(args['limit']) };
    if (typeof stream === 'string') {
      yield* oneStream(store, stream, limit);
      return;
    }
    const after = typeof args['after'] === 'string' ? args['after'] : null;
    for await (const event of store.readAll({ after, filter: filterOf(args), ...limit })) yield frameOf(event);
  },
});

async function* oneStream(store: EventReader, stream: string, limit: { limit?: number }) {
  try {
    for await (const event of store.readStream(stream, limit)) yield frameOf(event);
  } catch (error) {
    if (error instanceof StreamNotFoundError) throw new OperationError(`there is no stream ${stream}`);
    throw error;
  }
}

function filterOf(args: JsonObject): EventFilter {
  const { types, categories } = args;
  return {
    ...(Array.isArray(types) && { types: types as string[] }),
    ...(Array.isArray(categories) && { categories: categories as string[] }),
  };
}

const frameOf = (event: RecordedEvent): JsonObject => ({
  position: event.position,
  stream: event.stream,
  revision: event.revision,
  type: event.type,
  id: event.id,
  data: event.data,
  metadata: { ...event.metadata },
});
