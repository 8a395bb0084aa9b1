/**
 * Transition weights of a BIO chain, tied so that the cost of a step is (L+1)^2 instead of (2L+1)^2: leaving a label costs
 * the same from its B and from its I.
 *
 * One Float32Array holds them: first [L+2, L+1] row-major, from a group (O, then the labels, then the start of the text) to a
 * next tag that is O or a B; then L weights B to I of a label; then L weights I to I.
 */
export const transitionCount = (labels: number): number => (labels + 2) * (labels + 1) + 2 * labels;

/** Where the weight between two tags is kept, or -1 for an illegal step. `from` = -1 means the start of the text. */
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
