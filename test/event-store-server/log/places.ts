import { checkpointAfter } from './positions.js';
import type { Tables } from './tables.js';

/**
 * A place in the log that a reader named: the position of an event, even of a scavenged one, or a checkpoint. Null for any other
 * number: a real log's records start at bytes of their own, too.
 */
export function placeInLog(tables: Tables, commit: string, prepare: string): number | null {
  const position = Number(commit);
  if (commit !== prepare || !Number.isSafeInteger(position)) return null;
  const place = tables.placeAtOrBefore(position);
  if (place === null) return null;
  return place === position || checkpointAfter(place) === position ? position : null;
}
