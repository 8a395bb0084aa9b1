import type { MadeFromFeedback } from '#use-cases/datasets/commands/from-feedback.js';
import { versionRecord } from '../versions/record.js';
import type { FromFeedback } from './dto.js';

const MAX_CONFLICTS = 100;

/** Nothing was said of it yet. */
function newVersionRecord(version: MadeFromFeedback['version']) {
  const { description: _, ...record } = versionRecord(version);
  return record;
}

/** A version made from feedback, as clients see it. */
export const madeFromFeedback = ({
  version,
  heldOut,
  rows,
  conflicts,
  leftOut,
  merged,
}: MadeFromFeedback): FromFeedback => ({
  ...newVersionRecord(version),
  rows,
  left_out: leftOut,
  conflict_count: conflicts.length,
  conflicting: conflicts.slice(0, MAX_CONFLICTS),
  held_out: heldOut && versionRecord(heldOut),
  merged_with: merged && { ...merged, conflicting: [...merged.conflicting] },
});
