import { useState } from 'react';
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

/** The unsaved labelling of a version. It is kept in this browser, by user. */
export interface Work extends Stored {
  readonly isKept: boolean;
  readonly draftOf: (row: number) => string;
  readonly setScheme: (scheme: Scheme) => void;
  readonly setDone: (row: number, done: Done) => void;
  /** Forgets all of it, once it is saved. */
  readonly clear: () => void;
}

/** @param pass what keeps two labellings of one version apart */
export function useWork(name: string, version: string, pass: string): Work {
  const { email = '', workspace_id = '' } = useSession().data ?? {};
  const key = draftKey(email ?? '', 'rows', workspace_id, name, version, pass);
  const [stored, setStored] = useState<Stored>(
    () => JSON.parse(localStorage.getItem(key) ?? '{"scheme":null,"done":{}}') as Stored,
  );
  const [isKept, setKept] = useState(true);
  const store = (next: Stored): void => {
    setStored(next);
    setKept(keep(key, next));
  };
  const draftOf = (row: number): string => `${key} ${row}`;
  return {
    ...stored,
    isKept,
    draftOf,
    setScheme: (scheme) => store({ ...stored, scheme }),
    setDone: (row, done) => store({ ...stored, done: { ...stored.done, [row]: done } }),
    clear: () => {
      for (const row of Object.keys(stored.done)) dropDraft(draftOf(Number(row)));
      dropDraft(key);
      setStored({ scheme: stored.scheme, done: {} });
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
