/**
 * Transition weights of a BIO chain, tied so that the cost of a step is (L+1)^2 instead of (2L+1)^2: leaving a label costs
 * the same from its B and from its I.
 *
 * Numbers in the Float32Array of transitions: first [L+2, L+1] row-major, from a group (O, then the labels, then the start of the text) to a
 * next tag that is O or a B; then L weights B to I of a label; then L weights I to I.
 */
export const transitionCount = (labels: number): number => (labels + 2) * (labels + 1) + 2 * labels;

/** Index of the weight between two tags, or -1 for an illegal step. `from` = -1 means the start of the text. */
export function transitionIndex(labels: number, from: number, to: number): number {
  const width = labels + 1;
  if (to <= labels) {
    const group = from < 0 ? width : from <= labels ? from : from - labels;
    return group * width + to;
  }
  if (from === to - labels) return (labels + 2) * width + to - width;
  if (from === to) return (labels + 2) * width + labels + to - width;
  return -1;
}

/**
 * Carries the weights of some labels over to a larger set of labels.
 * @param places the new index of each old label
 */
export function carryTransitions(
  from: Float32Array,
  places: readonly number[],
  to: Float32Array,
  labels: number,
): void {
  const old = places.length;
  // Tags for the rows and columns of both tables: the start, O, and B and I of each label.
  const tags = [-1, 0, ...places.map((_, label) => 1 + label), ...places.map((_, label) => 1 + old + label)];
  const moved = (tag: number): number =>
    tag <= 0 ? tag : tag <= old ? 1 + places[tag - 1]! : 1 + labels + places[tag - 1 - old]!;
  for (const before of tags) {
    for (const after of tags) {
      const index = after < 0 ? -1 : transitionIndex(old, before, after);
      if (index >= 0) to[transitionIndex(labels, moved(before), moved(after))] = from[index]!;
    }
  }
}
