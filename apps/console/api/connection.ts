import { useSyncExternalStore } from 'react';

let isLost = false;
const watching = new Set<() => void>();

/** Notes whether the system answered the last request, whatever its answer. */
export function noteAnswer(answered: boolean): void {
  if (isLost === !answered) return;
  isLost = !answered;
  for (const tell of watching) tell();
}

const watch = (tell: () => void): (() => void) => {
  watching.add(tell);
  return () => watching.delete(tell);
};

/** Whether the system did not answer the last request. */
export const useIsLost = (): boolean => useSyncExternalStore(watch, () => isLost);
