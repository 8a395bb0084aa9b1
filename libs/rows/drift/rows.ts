import { labelsOf, textOf } from '../report/row-labels.js';
import type { JsonObject } from '#domain/json.js';

/** The text of a stored row that an encoder learns, and the labels that an answer to it would give; null without a text. */
export function labelledRow(row: JsonObject): { readonly text: string; readonly labels: readonly string[] } | null {
  const text = textOf(row, 'ner');
  if (text === null) return null;
  const labels = labelsOf(row, 'ner').flatMap(({ head, labels: found }) => (head === 'structures' ? [] : found));
  return { text, labels: [...labels, ...structuresOf(row)] };
}

/** Answers name structures, and reports their fields. */
const structuresOf = ({ json_structures: structures }: JsonObject): readonly string[] =>
  Array.isArray(structures) ? (structures as readonly JsonObject[]).flatMap((each) => Object.keys(each)) : [];
