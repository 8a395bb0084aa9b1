import type { HeadKind } from '#domain/distillation/index.js';
import type { FieldNode, Proposal } from '../mapping/mapping.js';

/** What a small model learns of one place of the answers. */
export interface Head {
  /** Where it stands in the answers: `items[].sku`; `label` for a label word. */
  readonly path: string;
  readonly kind: Exclude<HeadKind, 'omitted'>;
  /** The labels; null for others than classes and entities. */
  readonly labels: readonly string[] | null;
  /** All that it can become, what is proposed included. */
  readonly choices: readonly HeadKind[];
}

/** The heads that are proposed, in the order of the answers, and the places of which nothing is learned. */
export function headsIn({ mapping, choices }: Proposal & { readonly kind: 'mapped' }): readonly Head[] {
  if (mapping.kind === 'json')
    return headsOf(mapping.root, '').map((head) => ({ ...head, choices: choices.get(head.path) ?? [] }));
  const kind = mapping.separator === null ? 'class' : 'classes';
  return [{ path: 'label', kind, labels: Object.values(mapping.spellings), choices: [kind] }];
}

function headsOf(node: FieldNode, path: string): readonly Omit<Head, 'choices'>[] {
  switch (node.kind) {
    case 'constant':
      return [{ path, kind: 'constant', labels: null }];
    case 'unmapped':
      return [{ path, kind: 'null', labels: null }];
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
