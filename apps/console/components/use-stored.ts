import { useState } from 'react';

/** State of this tab, which a reload does not lose. @param key its name in the tab's storage */
export function useStored<T>(key: string, initial: T): readonly [T, (value: T) => void] {
  const name = `anneal-${key}`;
  const [value, setValue] = useState<T>(() => {
    const stored = sessionStorage.getItem(name);
    return stored === null ? initial : (JSON.parse(stored) as T);
  });
  const change = (next: T): void => {
    keepInTab(name, next);
    setValue(next);
  };
  return [value, change];
}

/** A tab has some 5 MB of room. A value without room is dropped, rather than kept in an earlier state. */
export function keepInTab(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(name);
  }
}

const OWNER = 'anneal-owner';

/**
 * Drops what this tab keeps of another user or another workspace.
 * @param owner null: nobody is signed in
 */
export function claimTab(owner: string | null): void {
  if (owner !== null && sessionStorage.getItem(OWNER) === owner) return;
  for (const name of Object.keys(sessionStorage)) if (name.startsWith('anneal-')) sessionStorage.removeItem(name);
  if (owner !== null) sessionStorage.setItem(OWNER, owner);
}
