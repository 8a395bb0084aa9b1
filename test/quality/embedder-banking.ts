import { present, read } from './sets.js';

export interface Row {
  readonly text: string;
  readonly label: string;
}

export interface Labelled {
  /** 40 of each label. */
  readonly known: readonly Row[];
  readonly asked: readonly Row[];
}

const KNOWN_OF_A_LABEL = 40;

/**
 * BANKING77 (Casanueva et al. 2020). @param isHeldOut questions of the test set; else those of the training set that are not among
 * the known ones @returns null where it is not there
 */
export function readBanking(isHeldOut: boolean): Labelled | null {
  if (!present('banking77.train') || !present('banking77.test')) return null;
  const known: Row[] = [];
  const rest: Row[] = [];
  const counts = new Map<string, number>();
  for (const row of rowsOf('train')) {
    const count = counts.get(row.label) ?? 0;
    counts.set(row.label, count + 1);
    (count < KNOWN_OF_A_LABEL ? known : rest).push(row);
  }
  // Every fifth: the training set's rest is ordered by label.
  return { known, asked: isHeldOut ? rowsOf('test') : rest.filter((_, index) => index % 5 === 0) };
}

const rowsOf = (part: string): Row[] => read(`banking77.${part}`).map(({ text, label }) => ({ text, label: label! }));
