import { useState } from 'react';

/** State of this tab, which a reload does not lose. @param key its name in the tab's storage */
export function useStored<T>(key: string, initial: T): readonly [T, (value: T) => void] {
  const name = `anneal-${key}`;
  const [value, setValue] = useState<T>(() => {
    const stored = sessionStorage.getItem(name);
    return stored === null ? initial : (JSON.parse(stored) as T);
  });
  const change = (next: T): void => {
    sessionStorage.setItem(name, JSON.stringify(next));
    setValue(next);
  };
  return [value, change];
}
