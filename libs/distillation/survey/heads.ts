import type { AnswerMapping, FieldNode } from '../mapping/mapping.js';

/** What a small model learns of one place of the answers. */
export interface Head {
  /** Where it stands in the answers: `items[].sku`; `label` for a label word. */
  readonly path: string;
  /** One label of a few, several of them; a stretch of the text, or several; stretches with their kind; records of a list of objects. */
  readonly kind: 'class' | 'classes' | 'span' | 'spans' | 'entities' | 'records';
  /** The labels; null for stretches. */
  readonly labels: readonly string[] | null;
}

/** The heads of a mapping, in the order of the answers. */
export function headsIn(mapping: AnswerMapping): readonly Head[] {
  if (mapping.kind === 'json') return headsOf(mapping.root, '');
  const kind = mapping.separator === null ? 'class' : 'classes';
  return [{ path: 'label', kind, labels: Object.values(mapping.spellings) }];
}

function headsOf(node: FieldNode, path: string): readonly Head[] {
  switch (node.kind) {
    case 'constant':
    case 'unmapped':
      return [];
    case 'object':
      return node.fields.flatMap(({ key, node: inner }) => headsOf(inner, path === '' ? key : `${path}.${key}`));
    case 'records':
      return [{ path: `${path}[]`, kind: 'records', labels: null }, ...headsOf(node.item, `${path}[]`)];
    case 'entities':
      return [{ path: `${path}[]`, kind: 'entities', labels: labelsIn(node.item, node.label) }];
    case 'span':
      return [{ path, kind: node.isList ? 'spans' : 'span', labels: null }];
    case 'class':
      return [{ path, kind: node.isList ? 'classes' : 'class', labels: Object.keys(node.values) }];
  }
}

function labelsIn(item: FieldNode, key: string): readonly string[] {
  const label = item.kind === 'object' ? item.fields.find((field) => field.key === key)?.node : undefined;
  return label?.kind === 'class' ? Object.keys(label.values) : [];
}
