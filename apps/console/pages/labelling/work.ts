import { useEffect, useState } from 'react';
import { useSession } from '../../api/session.js';
import { draftKey, dropDraft, keep, readDraft } from '../../components/editor/drafts.js';
import type { Scheme } from '../../components/scheme/scheme.js';
import { isLabelled, toRow, type Row } from './row.js';

/** A person's decision on a row. */
export type Done = 'accepted' | 'corrected' | 'skipped';

interface Stored {
  readonly scheme: Scheme | null;
  /** By the row's index. */
  readonly done: Readonly<Record<number, Done>>;
}

/** The unsaved labelling of a version. It is kept in this browser, by user; its tabs share it. */
export interface Work extends Stored {
  readonly isKept: boolean;
  readonly draftOf: (row: number) => string;
  readonly setScheme: (scheme: Scheme) => void;
  readonly setDone: (rows: readonly number[], done: Done) => void;
  /** Rows are as they were before they were labelled. */
  readonly forget: (rows: readonly number[]) => void;
  /** @returns forgets what is done now, to be called once it is saved. What another tab changes meanwhile stays. */
  readonly saving: () => () => void;
}

const NONE: Stored = { scheme: null, done: {} };

const read = (key: string): Stored => (JSON.parse(localStorage.getItem(key) ?? 'null') as Stored | null) ?? NONE;

/** @param pass what keeps two labellings of one version apart */
export function useWork(name: string, version: string, pass: string): Work {
  const { email = '', workspace_id = '' } = useSession().data ?? {};
  const key = draftKey(email ?? '', 'rows', workspace_id, name, version, pass);
  const [stored, setStored] = useState<Stored>(() => read(key));
  const [isKept, setKept] = useState(true);
  useEffect(() => {
    const onOtherTab = (event: StorageEvent): void => {
      if (event.key === key || event.key === null) setStored(read(key));
    };
    addEventListener('storage', onOtherTab);
    return () => removeEventListener('storage', onOtherTab);
  }, [key]);
  const store = (change: (now: Stored) => Stored): void => {
    // Another tab may have stored more since this one was drawn. What had no room is in this tab alone.
    const next = change(isKept ? read(key) : stored);
    setStored(next);
    setKept(keep(key, next));
  };
  const draftOf = (row: number): string => `${key} ${row}`;
  return {
    ...stored,
    isKept,
    draftOf,
    setScheme: (scheme) => store((now) => ({ ...now, scheme })),
    setDone: (rows, done) =>
      store((now) => ({ ...now, done: { ...now.done, ...Object.fromEntries(rows.map((row) => [row, done])) } })),
    forget: (rows) => {
      for (const row of rows) dropDraft(draftOf(row));
      const others = ([row]: readonly [string, Done]): boolean => !rows.includes(Number(row));
      store((now) => ({ ...now, done: Object.fromEntries(Object.entries(now.done).filter(others)) }));
    },
    saving: () => {
      const rows = Object.keys(stored.done).map(Number);
      const drafts = new Map(rows.map((row) => [row, localStorage.getItem(draftOf(row))]));
      return () =>
        store(({ scheme, done }) => {
          const left = Object.entries(done).filter(([index]) => {
            const row = Number(index);
            if (!drafts.has(row) || localStorage.getItem(draftOf(row)) !== drafts.get(row)) return true;
            dropDraft(draftOf(row));
            return false;
          });
          return { scheme, done: Object.fromEntries(left) };
        });
    },
  };
}

/**
 * The rows to save: labelled ones with their labels, others unchanged. Rows without any label are left out, since
 * nothing is learned from them.
 * @param onlyDone whether rows that were not labelled in this pass are left out as well, as in a second pass
 */
export function rowsToSave(rows: readonly Row[], work: Work, scheme: Scheme, onlyDone: boolean): readonly Row[] {
  return rows.flatMap((row, index) => {
    const done = work.done[index];
    const draft = done && done !== 'skipped' ? readDraft(work.draftOf(index)) : null;
    if (draft) return [toRow(row, draft, scheme)];
    return onlyDone || !isLabelled(row) ? [] : [row];
  });
}
