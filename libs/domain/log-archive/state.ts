import type { LogArchiveEvent } from './events.js';

/** The last part of the log that was archived: the events of calls after one position, to another. */
export interface LogArchive {
  readonly after: string | null;
  /** null: nothing was archived yet. */
  readonly to: string | null;
}

export const NOT_ARCHIVED: LogArchive = { after: null, to: null };

export function evolve(_state: LogArchive, { data: { after, to } }: LogArchiveEvent): LogArchive {
  return { after, to };
}
