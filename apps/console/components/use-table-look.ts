import { useState } from 'react';
import { useSession } from '../api/session.js';
import type { Sort } from './sorting.js';

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

/**
 * The order and the columns of a table. This browser keeps them, for each person who signs in to it.
 * @param name of the table
 */
export function useTableLook(name: string): TableLook {
  const user = useSession().data?.user_id ?? '';
  const key = `anneal-table ${user} ${name}`;
  const [kept, setKept] = useState<Kept>(() => readKept(key));
  const change = (changes: Partial<Kept>): void => {
    const next = { ...kept, ...changes };
    setKept(next);
    if (next.sort === null && next.hidden.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(next));
  };
  return { ...kept, change };
}

const readKept = (key: string): Kept => ({
  ...AS_GIVEN,
  ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Kept>),
});
