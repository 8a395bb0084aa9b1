import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** A test that a row names as its proof. */
export interface Proof {
  /** Path from the root of the project. */
  readonly file: string;
  readonly title: string;
}

export interface Row {
  /** The text of each cell. */
  readonly cells: readonly string[];
  readonly proofs: readonly Proof[];
}

export interface Table {
  /** The headings above it, from the outermost. */
  readonly headings: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** The tables of docs/reference/interface.md. */
export const readPage = (): readonly Table[] =>
  tablesOf(readFileSync(join(ROOT, 'docs', 'reference', 'interface.md'), 'utf8'));

export function tablesOf(markdown: string): readonly Table[] {
  const tables: (Table & { readonly rows: Row[] })[] = [];
  const headings: string[] = [];
  let inTable = false;
  for (const line of markdown.split('\n')) {
    const [, marks, heading] = /^(#+) (.*)$/.exec(line) ?? [];
    if (marks !== undefined) headings.splice(marks.length - 1, Infinity, heading!);
    if (!line.startsWith('|')) inTable = false;
    else if (!inTable) {
      inTable = true;
      tables.push({ headings: [...headings], columns: cellsOf(line), rows: [] });
    } else if (!/^\|[\s:|-]+\|$/.test(line)) tables.at(-1)!.rows.push({ cells: cellsOf(line), proofs: proofsOf(line) });
  }
  return tables;
}

/** Words in code quotes, of a cell. */
export const named = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

/** Whether the file has a test with this title, as a literal in the source. */
export function exists({ file, title }: Proof): boolean {
  let source: string;
  try {
    source = readFileSync(join(ROOT, file), 'utf8');
  } catch {
    return false;
  }
  const unescaped = source.replaceAll(/\\(['"`])/g, '$1');
  return ["'", '"', '`'].some((quote) => new RegExp(`[(,:]\\s*${escaped(quote + title + quote)}`).test(unescaped));
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

const cellsOf = (line: string): readonly string[] =>
  line
    .replaceAll(/^\||\|$/g, '')
    // A bar within a cell is escaped.
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

const proofsOf = (line: string): readonly Proof[] =>
  [...line.matchAll(/\]\((?:\.\.\/)+([^)]+)\) “([^”]+)”/g)].map(([, file, title]) => ({
    file: file!,
    title: title!.replaceAll('\\|', '|').replaceAll(/\\([_*<>`])/g, '$1'),
  }));
