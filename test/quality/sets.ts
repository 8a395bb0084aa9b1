import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A row of a data set, in the form of uploads. */
export interface Row {
  readonly text: string;
  readonly entities?: readonly (readonly [string, string])[];
  readonly label?: string;
  readonly json_structures?: readonly Readonly<Record<string, Readonly<Record<string, string>>>>[];
  readonly relations?: readonly Readonly<Record<string, { readonly head: string; readonly tail: string }>>[];
}

/** Folder of the public data sets; they are not part of the project. */
export const DATA_DIRECTORY = join(process.env['ANNEAL_SHARED_DIR'] ?? join('..', 'shared'), 'data');

export const present = (file: string): boolean => existsSync(join(DATA_DIRECTORY, `${file}.jsonl`));

export function read(file: string): Row[] {
  const lines = readFileSync(join(DATA_DIRECTORY, `${file}.jsonl`), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}

export const onlyEntities = (rows: readonly Row[]): Row[] =>
  rows.map(({ text, entities = [] }) => ({ text, entities }));
export const onlyLabels = (rows: readonly Row[]): Row[] =>
  rows.flatMap(({ text, label }) => (label === undefined ? [] : [{ text, label }]));

/** Spread over the file, the same rows each time. */
export function sample(rows: readonly Row[], count: number): Row[] {
  const step = rows.length / count;
  return Array.from({ length: Math.min(count, rows.length) }, (_, index) => rows[Math.floor(index * step)]!);
}

/** The first rows of each class. */
export function perClass(rows: readonly Row[], count: number): Row[] {
  const seen = new Map<string, number>();
  return rows.filter(({ label }) => {
    const before = seen.get(label!) ?? 0;
    seen.set(label!, before + 1);
    return before < count;
  });
}
