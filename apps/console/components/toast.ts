import { useSyncExternalStore } from 'react';

export interface Toast {
  readonly id: number;
  readonly text: string;
}

/** Long enough to be read; what can be undone is offered elsewhere for longer. */
const SHOWN_MS = 6_000;

let toasts: readonly Toast[] = [];
let last = 0;
const watching = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const tell of watching) tell();
}

/** Says that something was done, above the page, which does not move. */
export function toast(text: string): void {
  const id = (last += 1);
  change([...toasts, { id, text }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

export const dismiss = (id: number): void => change(toasts.filter((each) => each.id !== id));

const watch = (tell: () => void): (() => void) => {
  watching.add(tell);
  return () => watching.delete(tell);
};

export const shownToasts = (): readonly Toast[] => toasts;

export const useToasts = (): readonly Toast[] => useSyncExternalStore(watch, shownToasts);
