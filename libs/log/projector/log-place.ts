import { LogDamagedError, type EventReader, type RecordedEvent } from '#ports/event-store/port.js';
import type { ProjectionCheckpoint } from '#ports/read-store/port.js';

/** A position in the log and the id of its event; null if none is known there. */
export type LogPlace = Omit<ProjectionCheckpoint, 'logId'>;

export const placeOf = (event: RecordedEvent): LogPlace => ({ position: event.position, eventId: event.id });

/** The last event of the log, without its id if it is damaged; null while the log is empty. */
export async function headOf(log: EventReader): Promise<{ position: string; eventId: string | null } | null> {
  try {
    for await (const event of log.readAll({ direction: 'backwards', limit: 1 }))
      return { position: event.position, eventId: event.id };
    return null;
  } catch (error) {
    // The damage concerns only readers of that one event.
    if (error instanceof LogDamagedError && error.position !== null) return { position: error.position, eventId: null };
    throw error;
  }
}

/**
 * Whether a checkpoint belongs to this log: same log id, not past the head, and its event still there. (A deleted event
 * is no evidence.)
 */
export async function isOfThisLog(log: EventReader, checkpoint: ProjectionCheckpoint): Promise<boolean> {
  const head = await log.head();
  if (checkpoint.logId !== head.logId || head.position === null || checkpoint.position > head.position) return false;
  if (checkpoint.eventId === null) return true;
  try {
    const there = await log.eventAt(checkpoint.position);
    return there === null || there.id === checkpoint.eventId;
  } catch (error) {
    if (error instanceof RangeError) return false;
    // A damaged event proves nothing either; documents built from it are kept.
    if (error instanceof LogDamagedError && error.position !== null) return true;
    throw error;
  }
}
