import { composed } from '#primitives/text/composed.js';
import type { InferWarning } from './engine.js';

/** "Delivery-City" and "delivery city" are the same label. */
function normalizeLabel(label: string): string {
  return composed(label)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** Finds the known label that is meant: the very same, or else the first that is equal without case and separators; null for none. */
export function matcherOf(known: readonly string[]): (label: string) => string | null {
  const same = new Set(known);
  let normal: Map<string, string> | undefined;
  return (label) => {
    if (same.has(label)) return label;
    normal ??= new Map(known.toReversed().map((each) => [normalizeLabel(each), each]));
    return normal.get(normalizeLabel(label)) ?? null;
  };
}

/** The warning about a requested name that the model did not learn. @param what kind of name, such as "relation" */
export const unlearned = (what: string, label: string): InferWarning => ({
  code: 'unresolved_label',
  message: `The model learned no ${what} ${JSON.stringify(label)}. Train a model with examples of it.`,
  label,
});
