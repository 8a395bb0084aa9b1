import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_DIRECTORY } from './sets.js';

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
  const read = (part: string) => join(DATA_DIRECTORY, `banking77.${part}.jsonl`);
  if (!existsSync(read('train')) || !existsSync(read('test'))) return null;
  const known: Row[] = [];
  const rest: Row[] = [];
  const counts = new Map<string, number>();
  for (const row of linesOf(read('train'))) {
    const count = counts.get(row.label) ?? 0;
    counts.set(row.label, count + 1);
    (count < KNOWN_OF_A_LABEL ? known : rest).push(row);
  }
  // Every fifth: the training set's rest is ordered by label.
  return { known, asked: isHeldOut ? linesOf(read('test')) : rest.filter((_, index) => index % 5 === 0) };
}

const linesOf = (path: string): Row[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
