import type { Sort } from './sorting.js';
import { useKept } from './use-kept.js';

interface Kept {
  readonly sort: Sort | null;
  /** Heads of columns that are not shown. */
  readonly hidden: readonly string[];
}

/** What a person has set of a table. */
export interface TableLook extends Kept {
  readonly change: (changes: Partial<Kept>) => void;
}

const AS_GIVEN: Kept = { sort: null, hidden: [] };

/** The order and the columns of a table, as the person has set them. @param name of the table */
export function useTableLook(name: string): TableLook {
  const [kept, keep] = useKept(`table ${name}`, AS_GIVEN);
  return { ...kept, change: (changes) => keep({ ...kept, ...changes }) };
}
