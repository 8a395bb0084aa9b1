import type { Scheme } from '../scheme/scheme.js';

/** More labels than these are looked for by their name. */
export const FEW = 30;

/** A label that a key or a button gives to the chosen words. */
export type Mark = (
  | { readonly kind: 'entity'; readonly name: string }
  | { readonly kind: 'class'; readonly task: string; readonly name: string }
  | { readonly kind: 'field'; readonly structure: string; readonly name: string }
  | { readonly kind: 'relation'; readonly name: string }
) & {
  /** Its keys, a digit or a letter; the first is shown. */
  readonly keys: readonly string[];
};

/**
 * A scheme's labels with their keys: digits for the first nine, and for each a letter, from its name if that is free.
 */
export function marksOf({ entities, tasks, structures, relations }: Scheme): readonly Mark[] {
  const all = [
    ...(entities ?? []).map(({ name }) => ({ kind: 'entity' as const, name })),
    ...structures.flatMap(({ name: structure, fields }) =>
      fields.flatMap(({ name, choices }) => (choices ? [] : [{ kind: 'field' as const, structure, name }])),
    ),
    ...(relations ?? []).map(({ name }) => ({ kind: 'relation' as const, name })),
    ...tasks.flatMap(({ name: task, labels }) => labels.map((name) => ({ kind: 'class' as const, task, name }))),
  ];
  const letters = new Set('abcdefghijklmnopqrstuvwxyz');
  return all.map((mark, index) => {
    const letter = [...mark.name.toLowerCase(), ...letters].find((each) => letters.delete(each));
    return { ...mark, keys: [...(index < 9 ? [`${index + 1}`] : []), ...(letter ? [letter] : [])] };
  });
}
