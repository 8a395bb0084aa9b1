import { SHORTEST_RECORD } from './positions.js';
import type { Tables } from './tables.js';

/**
 * A place in the log that a reader named: the position of an event, even of a scavenged one, or that of a checkpoint, which is
 * just before where a record begins or is going to. Null for any other number: a real log's records start at bytes of their
 * own, too.
 */
export function placeInLog(tables: Tables, commit: string, prepare: string): number | null {
  const position = Number(commit);
  if (!Number.isSafeInteger(position)) return null;
  const place = tables.placeAtOrBefore(position);
  if (place === null) return null;
  if (commit === prepare) return place === position ? position : null;
  if (prepare !== '0') return null;
  return place === position || position - place >= SHORTEST_RECORD ? position - 1 : null;
}
