import type { Annotation } from './annotation.js';

/** The key of a draft: who signs in next in this browser has others. */
export const draftKey = (email: string, ...of: readonly (string | number)[]): string =>
  ['anneal-draft', email, ...of].join(' ');

/** Work that is not saved yet, kept in this browser. @returns null where none is kept */
export const readDraft = (key: string): Annotation | null =>
  JSON.parse(localStorage.getItem(key) ?? 'null') as Annotation | null;

export const dropDraft = (key: string): void => localStorage.removeItem(key);

/** @returns whether it is kept: the browser's room, some 5 MB, may be full */
export function keep(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
