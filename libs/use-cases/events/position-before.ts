import type { EventReader, Position, RecordedEvent } from '#ports/event-store/port.js';

/** Places of the log around a time; null if the log must be read from its very start or end. */
interface Around {
  /** Position of an event that happened before the time, and not long before. */
  readonly last: Position | null;
  /** Position of one that happened at that time or later. */
  readonly next: Position | null;
}

/**
 * Finds a time in a log whose events are nearly in the order of their times, by bisection: some thirty reads for a log
 * of any length. If positions do not count events, it finds nothing.
 */
export async function positionBefore(
  log: Pick<EventReader, 'head' | 'positions' | 'readAll'>,
  time: string,
): Promise<Around> {
  const { position: head } = await log.head();
  if (head === null || log.positions === 'sparse') return { last: null, next: null };
  const named = (place: bigint): Position => place.toString().padStart(head.length, '0');
  let around: Around = { last: null, next: null };
  let [low, high] = [0n, BigInt(head)];
  while (low < high) {
    const middle = (low + high) / 2n;
    const event = await firstBehind(log, named(middle));
    if (event === null || event.metadata.occurredAt >= time) {
      around = { ...around, next: event?.position ?? around.next };
      high = middle;
    } else {
      around = { ...around, last: event.position };
      low = BigInt(event.position);
    }
  }
  return around;
}

async function firstBehind(log: Pick<EventReader, 'readAll'>, after: Position): Promise<RecordedEvent | null> {
  for await (const event of log.readAll({ after, limit: 1 })) return event;
  return null;
}
