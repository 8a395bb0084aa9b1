import { eventTypeFilter, streamNameFilter, type Filter } from '@eventstore/db-client';
import type { EventFilter } from '../port.js';

/** Events that the server looks at before it says how far it has come. */
const SEARCHED = 512;

/**
 * What the server leaves out: it can look at types or at stream names, not at both, and always leaves out its own. The rest
 * is `matches`.
 */
export function serverFilter({ types, categories }: EventFilter = {}): Filter {
  const searched = { maxSearchWindow: SEARCHED, checkpointInterval: 1 };
  if (types) return eventTypeFilter({ regex: `^(?:${types.map(escaped).join('|')})$`, ...searched });
  if (categories) return streamNameFilter({ regex: `^(?:${categories.map(escaped).join('|')})(?:-|$)`, ...searched });
  return eventTypeFilter({ regex: '^[^$]', ...searched });
}

/** Means the same to .NET's expressions and to ours. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
