import { isDeepStrictEqual } from 'node:util';
import { isRecord, type Json } from '#domain/json.js';
import type { CanonicalAnswer } from '../calls/answers.js';
import { jsonIn } from './json-text.js';
import { readLabels } from './labels.js';
import type { AnswerMapping, FieldNode } from './mapping.js';

/** Whether two answers to one request say the same, however they are written; fields that are not learned do not count. */
export function agree(mapping: AnswerMapping, one: CanonicalAnswer, other: CanonicalAnswer): boolean {
  if (one.tool !== other.tool) return false;
  const [a, b] = [said(mapping, one.text), said(mapping, other.text)];
  return a !== undefined && isDeepStrictEqual(a, b);
}

/** @returns undefined for an answer of another form */
function said(mapping: AnswerMapping, answer: string): Json | undefined {
  if (mapping.kind === 'labels') return readLabels(mapping, answer)?.toSorted();
  const found = jsonIn(answer);
  return found === null ? undefined : learned(mapping.root, found.value);
}

function learned(node: FieldNode, value: Json): Json {
  if (Array.isArray(value)) {
    const inner = node.kind === 'records' || node.kind === 'entities' ? node.item : node;
    return (value as readonly Json[]).map((each) => learned(inner, each));
  }
  if (!isRecord(value) || node.kind !== 'object') return value;
  const fields = node.fields.filter(({ node: field, key }) => field.kind !== 'unmapped' && Object.hasOwn(value, key));
  return Object.fromEntries(fields.map(({ key, node: field }) => [key, learned(field, value[key] as Json)]));
}
