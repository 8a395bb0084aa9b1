import type { RecordedEvent } from '#ports/event-store/port.js';
import { openEventStoreDbReader } from '#ports/event-store/eventstoredb/index.js';

/** The log itself, whole, in its order. */
export async function readLog(address: string): Promise<readonly RecordedEvent[]> {
  const reader = openEventStoreDbReader({ address });
  try {
    return await Array.fromAsync(reader.readAll());
  } finally {
    await reader.close();
  }
}

export const ofType = (log: readonly RecordedEvent[], type: string): readonly RecordedEvent[] =>
  log.filter((event) => event.type === type);

/** Items that occur more than once. */
export function repeated<T>(list: readonly T[]): T[] {
  const seen = new Set<T>();
  return list.filter((each) => seen.size === seen.add(each).size);
}

/** Streams with a gap, events with the id of another, or a log out of order. */
export function flaws(log: readonly RecordedEvent[]): string[] {
  const streams = [...Map.groupBy(log, ({ stream }) => stream)];
  const positions = log.map(({ position }) => position);
  return [
    ...streams.flatMap(([stream, events]) =>
      events.some(({ revision }, index) => revision !== index) ? [`${stream} has gaps`] : [],
    ),
    ...repeated(log.map(({ id }) => id)).map((id) => `event ${id} is there twice`),
    ...(positions.some((position, at) => at > 0 && position <= positions[at - 1]!) ? ['it is out of order'] : []),
  ];
}
