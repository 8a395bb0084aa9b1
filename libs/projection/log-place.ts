import type { EventReader, RecordedEvent } from '#event-store/port.js';
import type { Checkpoint } from '#read-store/port.js';

/** The last event of the log; null while it is empty. */
export async function headOf(log: EventReader): Promise<{ position: string; eventId: string } | null> {
  for await (const event of log.readAll({ direction: 'backwards', limit: 1 }))
    return { position: event.position, eventId: event.id };
  return null;
}

/**
 * Whether a checkpoint was taken from this log: of its id, not past its head, and with its event where one still stands
 * there. (An event that was deleted since tells nothing.)
 */
export async function isOfThisLog(log: EventReader, checkpoint: Checkpoint): Promise<boolean> {
  const head = await log.head();
  if (checkpoint.logId !== head.logId || head.position === null || checkpoint.position > head.position) return false;
  if (checkpoint.eventId === null) return true;
  const there = await eventAt(log, checkpoint.position);
  return there === null || there.id === checkpoint.eventId;
}

async function eventAt(log: EventReader, position: string): Promise<RecordedEvent | null> {
  // Positions are decimal strings of a fixed width, so the one before is one less.
  const before = (BigInt(position) - 1n).toString().padStart(position.length, '0');
  for await (const event of log.readAll({ after: before, limit: 1 })) return event.position === position ? event : null;
  return null;
}
