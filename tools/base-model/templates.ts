import { readdirSync, readFileSync } from 'node:fs';
import type { Random } from '#gpu-runner/engine/builtin/random.js';
import { pick } from './choice.js';

/** A sentence with slots. `{name}` is a slot, `[a|b|]` one of several texts (not nested; without a bar it is literal). */
export interface Template {
  /** Name of the file it is from: newswire, chat, forms, ... */
  readonly register: string;
  readonly source: string;
  /** Of being drawn: more for templates that hold more sentences. */
  readonly weight: number;
}

/** A piece of an expanded template. */
export type TemplatePart =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'slot'; readonly name: string };

const alternatives = /\[([^[\]]*\|[^[\]]*)\]/g;

/** Reads all files of `templates/`, in the order of their names. */
export function readTemplates(): Template[] {
  const folder = new URL('./templates/', import.meta.url);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort();
  return files.flatMap((name) =>
    readFileSync(new URL(name, folder), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('//'))
      .map((source) => ({ register: name.replace('.txt', ''), source, weight: weightOf(source) })),
  );
}

/** Chooses among the alternatives and splits the rest at its slots. */
export function expandTemplate(random: Random, source: string): TemplatePart[] {
  const chosen = source
    .replace(alternatives, (_, options: string) => pick(random, options.split('|')))
    .replace(/ {2,}/g, ' ')
    .trim();
  return chosen.split(/(\{\w+\})/).flatMap((piece): TemplatePart[] => {
    const slot = /^\{(\w+)\}$/.exec(piece);
    if (slot) return [{ kind: 'slot', name: slot[1]! }];
    return piece === '' ? [] : [{ kind: 'text', text: piece }];
  });
}

function weightOf(source: string): number {
  let variants = 1;
  for (const match of source.matchAll(alternatives)) variants *= match[1]!.split('|').length;
  const slots = source.match(/\{\w+\}/g)?.length ?? 0;
  return 1 + Math.min(2, Math.log2(variants) / 3) + Math.min(1, slots / 4);
}
