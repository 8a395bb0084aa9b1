import { isRecord, type Json } from '#domain/json.js';
import type { Template } from '../tasks/template.js';
import { foldLabel } from './labels.js';
import type { AnswerMapping, FieldNode } from './mapping.js';

/** Characters of a description that trainings read. */
const MAX_CHARACTERS = 500;
/** What may stand before a label that is described: the beginning of a line, a bullet, a mark. */
const BEFORE = String.raw`(?:^|\n|[-*\u2022:;,|.(]\s*|\d[.)]\s+|\b(?:and|or|are|as|into|of|with)\s+)["'\u0060\u201c*<[]*`;
/** And after it: a colon, a dash, brackets. */
const AFTER = String.raw`["'\u0060\u201d*>\]]*\s*(?::|=|\||\u2192|->|=>|\((?=[^)\n]{3})|\s[-\u2013\u2014]\s|\s(?:means|is for|stands for)\s)\s*`;

/**
 * What the constant part of a prompt says of the classes of its answers (`billing: questions about invoices`), by label; empty if fewer
 * than two are described.
 */
export function labelDescriptions(template: Template, mapping: AnswerMapping): Readonly<Record<string, string>> {
  const labels = labelsIn(mapping);
  const found = constantTexts(template).flatMap((text) => describedIn(text, labels));
  const described = new Map(found.toReversed());
  return described.size < 2 ? {} : Object.fromEntries(labels.flatMap((label) => entryOf(label, described)));
}

const entryOf = (label: string, described: ReadonlyMap<string, string>): readonly (readonly [string, string])[] => {
  const text = described.get(label);
  return text === undefined ? [] : [[label, text]];
};

/** The labels of classes, as rows have them. */
function labelsIn(mapping: AnswerMapping): readonly string[] {
  if (mapping.kind === 'labels') return Object.values(mapping.spellings);
  const classesOf = (node: FieldNode): readonly string[] => {
    if (node.kind === 'object') return node.fields.flatMap((field) => classesOf(field.node));
    return node.kind === 'class' ? Object.keys(node.values) : [];
  };
  return [...new Set(classesOf(mapping.root))];
}

/** The texts of a prompt that all calls have: its chunks, and the descriptions in tools and schemas. */
function constantTexts({ parts, tools, format }: Template): readonly string[] {
  const said = [...tools.map(({ description }) => description ?? ''), ...[...tools.map(({ parameters }) => parameters), format].flatMap(descriptionsIn)]; // prettier-ignore
  return [...parts.flatMap(({ chunks }) => chunks), ...said];
}

function descriptionsIn(schema: Json): readonly string[] {
  if (Array.isArray(schema)) return (schema as readonly Json[]).flatMap(descriptionsIn);
  if (!isRecord(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'description' && typeof value === 'string' ? [value] : descriptionsIn(value as Json),
  );
}

/** Labels and their descriptions, which reach to the next one, or the end of the line or brackets. */
function describedIn(text: string, labels: readonly string[]): readonly (readonly [string, string])[] {
  if (labels.length === 0) return [];
  const byFold = new Map(labels.map((label) => [foldLabel(label), label]));
  const names = [...byFold.keys()].sort((one, other) => other.length - one.length);
  const any = names
    .map((name) =>
      name
        .split(' ')
        .map(escaped)
        .join(String.raw`[\s_-]+`),
    )
    .join('|');
  const starts = [...text.matchAll(new RegExp(`${BEFORE}(${any})(${AFTER})`, 'gi'))];
  return starts.flatMap((start, at) => {
    const from = start.index + start[0].length;
    const rest = text.slice(from, starts[at + 1]?.index);
    const isBracketed = start[2]!.trimEnd().endsWith('(');
    const end = rest.search(isBracketed ? /\)|\n/ : /\n|;/);
    const said = (end < 0 ? rest : rest.slice(0, end))
      .replace(/[\s,.;|*\-\u2022]+$|[\s,]+(?:and|or)\s*$/giu, '')
      .trim();
    const isText =
      /\p{L}{2}/u.test(said) &&
      !/^(?:because|since)\b/i.test(said) &&
      said.length <= MAX_CHARACTERS &&
      !byFold.has(foldLabel(said));
    return isText ? [[byFold.get(foldLabel(start[1]!))!, said] as const] : [];
  });
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
