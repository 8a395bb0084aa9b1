import { SETS, type DataSet, type RowCount } from './sets.js';
import { SYSTEMS, type System } from './systems.js';
import type { Trial } from './trial.js';

const DRAWS = 3;

/** All trials, the cheap ones first. */
export const TRIALS: readonly Trial[] = SYSTEMS.flatMap((system) => SETS.flatMap((set) => trialsOf(set, system)))
  // Stable: by rows, and by system among equals.
  .toSorted((a, b) => sizeOf(a.rows) - sizeOf(b.rows));

function trialsOf(set: DataSet, system: System): Trial[] {
  if (!system.heads.includes(set.head) || (set.descriptions && !system.readsDescriptions)) return [];
  return set.counts.flatMap((rows) =>
    Array.from({ length: rows === 'all' ? system.drawsOfAll : DRAWS }, (_, draw) => ({
      set,
      rows,
      draw: draw + 1,
      system,
    })),
  );
}

function sizeOf(rows: RowCount): number {
  return rows === 'all' ? Number.MAX_SAFE_INTEGER : rows;
}

/** The trials that names choose: each names a set, a number of rows or a system; of one kind, any may hold. @throws Error */
export function chosenTrials(names: readonly string[]): readonly Trial[] {
  const unknown = names.filter((name) => !TRIALS.some((trial) => namesOf(trial).includes(name)));
  if (unknown.length > 0) {
    const known = [0, 1, 2].map((kind) => [...new Set(TRIALS.map((trial) => namesOf(trial)[kind]))].join(', '));
    throw new Error(`unknown: ${unknown.join(', ')}. Sets: ${known[0]}. Rows: ${known[1]}. Systems: ${known[2]}.`);
  }
  const kinds = [0, 1, 2].map((kind) => names.filter((name) => TRIALS.some((trial) => namesOf(trial)[kind] === name)));
  return TRIALS.filter((trial) =>
    namesOf(trial).every((name, kind) => kinds[kind]!.length === 0 || kinds[kind]!.includes(name)),
  );
}

const namesOf = ({ set, rows, system }: Trial) => [set.name, String(rows), system.name] as const;
