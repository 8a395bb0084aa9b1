import type { Annotation } from './annotation.js';

/** The key of a draft: who signs in next in this browser has others. */
export const draftKey = (email: string, ...of: readonly (string | number)[]): string =>
  ['anneal-draft', email, ...of].join(' ');

/** Work that is not saved yet, kept in this browser. @returns null if none is kept */
export const readDraft = (key: string): Annotation | null =>
  JSON.parse(localStorage.getItem(key) ?? 'null') as Annotation | null;

/** A correction that is written instead of drawn: as JSON, or as the text of a decoder. */
interface Written {
  readonly asJson: boolean;
  readonly text: string;
}

const writtenKey = (key: string): string => `${key} written`;

export const readWritten = (key: string): Written | null =>
  JSON.parse(localStorage.getItem(writtenKey(key)) ?? 'null') as Written | null;

/** @returns whether it is kept */
export const keepWritten = (key: string, written: Written): boolean => keep(writtenKey(key), written);

/** Whether a draft of either kind is kept. */
export const hasDraft = (key: string): boolean => readDraft(key) !== null || readWritten(key) !== null;

export function dropDraft(key: string): void {
  localStorage.removeItem(key);
  localStorage.removeItem(writtenKey(key));
}

/** @returns whether it is kept: the browser's room, some 5 MB, may be full */
export function keep(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
