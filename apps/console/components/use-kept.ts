import { useState } from 'react';
import { useSession } from '../api/session.js';

/**
 * State that this browser keeps for each person who signs in to it; what is as it was at first is not kept.
 * @param key its name in the browser's storage
 */
export function useKept<T extends object>(key: string, initial: T): readonly [T, (value: T) => void] {
  const user = useSession().data?.user_id ?? '';
  const name = `anneal-of ${user} ${key}`;
  const [value, setValue] = useState<T>(
    () => (JSON.parse(localStorage.getItem(name) ?? 'null') as T | null) ?? initial,
  );
  const change = (next: T): void => {
    setValue(next);
    if (JSON.stringify(next) === JSON.stringify(initial)) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(next));
  };
  return [value, change];
}
