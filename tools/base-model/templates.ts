import { readdirSync, readFileSync } from 'node:fs';
import type { Random } from '#gpu-runner/engines/builtin/random.js';
import {
  chosen,
  parseTemplate,
  slotsOf,
  templateLines,
  variantsOf,
  type Slot,
  type Template,
  type Text,
} from '#rows/synthetic/templates/template.js';
import { pick } from './choice.js';

/** A template of a sentence, as tokens with a space between them. */
export interface SentenceTemplate {
  /** Name of the file it is from: newswire, chat, forms, ... */
  readonly register: string;
  readonly template: Template;
  /** Weight in a draw: more for templates with more sentences. */
  readonly weight: number;
}

/** Reads all files of `templates/`, in the order of their names. */
export function readTemplates(): SentenceTemplate[] {
  const folder = new URL('./templates/', import.meta.url);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort();
  return files.flatMap((name) =>
    templateLines(readFileSync(new URL(name, folder), 'utf8'))
      .map(parseTemplate)
      .map((template) => ({ register: name.replace('.txt', ''), template, weight: weightOf(template) })),
  );
}

/** The texts and slots of one sentence, with one space where an empty choice left two. */
export function expandTemplate(random: Random, template: Template): (Text | Slot)[] {
  const parts: (Text | Slot)[] = [];
  // All choices are made before any slot is filled.
  for (const part of chosen(template, (options) => pick(random, options))) {
    const before = parts.at(-1);
    if (part.kind === 'text' && before?.kind === 'text')
      parts[parts.length - 1] = { ...before, text: before.text + part.text };
    else parts.push(part);
  }
  return parts.flatMap((part, index): (Text | Slot)[] => {
    if (part.kind === 'slot') return [part];
    let text = part.text.replace(/ {2,}/g, ' ');
    if (index === 0) text = text.trimStart();
    if (index === parts.length - 1) text = text.trimEnd();
    return text === '' ? [] : [{ ...part, text }];
  });
}

const weightOf = (template: Template): number =>
  1 + Math.min(2, Math.log2(variantsOf(template)) / 3) + Math.min(1, slotsOf(template).length / 4);
