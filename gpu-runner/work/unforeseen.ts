import type { LossCause } from '#domain/training-job/index.js';
import { isOutOfRoom } from '#ports/object-store/out-of-room.js';
import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';

/**
 * The kind of an error outside the work itself; its message might describe this machine, so the user does not see it.
 */
export function nameOfUnforeseen(error: unknown): string {
  if (!(error instanceof Error)) return 'an unexpected error in the runner';
  if (isOutOfRoom(error)) return "no room left on the runner's disk";
  return `an unexpected ${error.name} in the runner`;
}

/** The cause of loss of an attempt that such an error has ended. */
export const causeOfUnforeseen = (error: unknown): LossCause =>
  isOutOfRoom(error) || error instanceof ObjectStoreUnavailableError ? 'storage' : 'child';
