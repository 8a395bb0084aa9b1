import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './folders.js';

/** Writes figures into a page of docs/, between its marks `<!-- name -->` and `<!-- end of name -->`. */
export function writeBetween(page: string, name: string, figures: string): void {
  const file = join(ROOT, 'docs', page);
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [before, rest] = readFileSync(file, 'utf8').split(begin);
  const [, after] = rest!.split(end);
  writeFileSync(file, `${before}${begin}\n\n${figures}\n\n${end}${after}`);
}

export function table([header, ...body]: readonly (readonly (string | number)[])[]): string {
  const lines = [header!, header!.map((_, column) => (column === 0 ? '---' : '--:')), ...body];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
