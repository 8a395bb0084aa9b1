/** A pair of labels at one place of an answer, and how often people said so; null where only the other has the place. */
interface Pair {
  readonly answered: string | null;
  readonly corrected: string | null;
  readonly count: number;
}

interface LabelFigures {
  /** How often the label was answered where a person judged it. */
  readonly judged: number;
  /** How often it was right there. */
  readonly right: number;
  /** The most frequent confusion of the label with something else; null for none. */
  readonly confused: Pair | null;
}

/**
 * What people said of a label, not of the calls that have it: another label of the same call may be the wrong one.
 * @param pairs of the calls whose answers have the label, the most frequent first; those where both sides are alike too
 */
export function labelFigures(label: string, pairs: readonly Pair[]): LabelFigures {
  const times = (of: readonly Pair[]): number => of.reduce((sum, { count }) => sum + count, 0);
  const answered = pairs.filter((pair) => pair.answered === label);
  return {
    judged: times(answered),
    right: times(answered.filter(({ corrected }) => corrected === label)),
    confused:
      pairs.find((pair) => pair.answered !== pair.corrected && [pair.answered, pair.corrected].includes(label)) ?? null,
  };
}
