import { readFileSync } from 'node:fs';
import { parseTemplate, templateLines, type Template } from '../../templates/template.js';

/** A heading of a grammar file with the lines below it. */
interface Section {
  /** The first of its words. */
  readonly name: string;
  /** Names and words for it, unchanged. */
  readonly words: readonly string[];
  readonly lines: readonly string[];
}

/** Lines `# name; word; word` begin a section; `//` begins a comment. */
export function readSections(file: string): readonly Section[] {
  const sections: { name: string; words: string[]; lines: string[] }[] = [];
  for (const line of readLines(file)) {
    if (line.startsWith('# ')) {
      const words = line
        .slice(2)
        .split(';')
        .map((word) => word.trim());
      sections.push({ name: words[0]!, words, lines: [] });
    } else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

export const readTemplates = (file: string): readonly Template[] => readLines(file).map(parseTemplate);

const readLines = (file: string): string[] =>
  templateLines(readFileSync(new URL(`./${file}`, import.meta.url), 'utf8'));
