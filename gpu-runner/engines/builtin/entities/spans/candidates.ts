import type { ScoredSpan } from '../lattice/segments.js';

/** Probability that a label has at least where it was not found, so that nothing is impossible. */
const LEAST = 0.001;

/** A run of tokens that may be an entity. */
export interface SpanCandidate {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** [labels + 1] Logarithms of the probabilities of each label and, last, of none, by the lattice. */
  readonly logs: Float64Array;
}

/** The runs of tokens among the likely segments of a lattice, each once, in the order of the segments. */
export function candidatesOf(segments: readonly ScoredSpan[], labels: number): SpanCandidate[] {
  const bySpan = Map.groupBy(segments, ({ first, end }) => `${first} ${end}`);
  return [...bySpan.values()].map((found) => {
    const { first, end } = found[0]!;
    return { first, end, logs: logsOf(found, labels) };
  });
}

/** Logarithms of the probabilities of each label and, last, of none. */
export function logsOf(found: readonly Pick<ScoredSpan, 'label' | 'probability'>[], labels: number): Float64Array {
  const logs = new Float64Array(labels + 1).fill(LEAST, 0, labels);
  for (const { label, probability } of found) logs[label] = Math.max(LEAST, probability);
  const likely = logs.reduce((sum, each) => sum + each, 0);
  logs[labels] = Math.max(LEAST, 1 - likely);
  const total = likely + logs[labels];
  return logs.map((each) => Math.log(each / total));
}
