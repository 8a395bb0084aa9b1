/**
 * Whether a path matches a dataset card's pattern: `*` and `?` within one part, `**` over any number of parts. Takes at
 * most time proportional to the product of the lengths, since the author of the card is untrusted.
 */
export const matchesPattern = (path: string, pattern: string): boolean =>
  matches(path.split('/'), pattern.replace(/^\.\//, '').split('/'), '**', (part, wanted) =>
    matches([...part], [...wanted], '*', (character, own) => own === '?' || own === character),
  );

/** A greedy match with one backtracking point. @param any matches any number of items */
function matches(
  items: readonly string[],
  wanted: readonly string[],
  any: string,
  fits: (item: string, wanted: string) => boolean,
): boolean {
  let at = 0;
  let next = 0;
  let back: { readonly next: number; at: number } | null = null;
  while (at < items.length) {
    if (wanted[next] === any) {
      next += 1;
      back = { next, at };
    } else if (next < wanted.length && fits(items[at]!, wanted[next]!)) {
      at += 1;
      next += 1;
    } else if (back !== null) {
      back.at += 1;
      ({ at, next } = back);
    } else return false;
  }
  while (wanted[next] === any) next += 1;
  return next === wanted.length;
}
