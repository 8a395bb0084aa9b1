import { streamName } from '#domain/streams.js';
import { StreamNotFoundError } from '#ports/event-store/port.js';
import type { Application } from '#application/application.js';

/** A job or an evaluation, as the owner of a folder of objects, and a job of its log. */
export interface Owner {
  readonly kind: 'job' | 'evaluation';
  readonly id: string;
}

/**
 * Removes all stored data of it.
 * @returns whether there was any
 */
export async function removeStored(
  { objectStore, eventStore }: Pick<Application['ports'], 'objectStore' | 'eventStore'>,
  { kind, id }: Owner,
): Promise<boolean> {
  const prefix = `${kind === 'job' ? 'jobs' : 'evaluations'}/${id}/`;
  const hadObjects = !(await isEmpty(objectStore.list(prefix)));
  if (hadObjects) await objectStore.deletePrefix(prefix);
  const hadLog = kind === 'job' && (await removeLog(eventStore, streamName('joblog', id)));
  return hadObjects || hadLog;
}

async function removeLog(eventStore: Application['ports']['eventStore'], stream: string): Promise<boolean> {
  try {
    await eventStore.deleteStream(stream);
    return true;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return false;
    throw error;
  }
}

async function isEmpty(list: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of list) return false;
  return true;
}
