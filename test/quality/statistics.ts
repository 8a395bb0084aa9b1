/** Spearman's rank correlation: Pearson's of the ranks, equal values sharing their mean rank. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  return pearson(ranksOf(a), ranksOf(b));
}

function pearson(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [both, squaresA, squaresB] = [0, 0, 0];
  for (const [index, value] of a.entries()) {
    const [x, y] = [value - meanA, b[index]! - meanB];
    both += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  return both / Math.sqrt(squaresA * squaresB);
}

function ranksOf(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => values[a]! - values[b]!);
  const ranks = new Array<number>(values.length);
  for (let from = 0, to = 0; from < order.length; from = to) {
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let at = from; at < to; at++) ranks[order[at]!] = (from + to - 1) / 2;
  }
  return ranks;
}

export const meanReciprocalRank = (ranks: readonly number[]): number => mean(ranks.map((rank) => 1 / rank));

/** The middle 95% of a figure over 1,000 bootstrap samples of the rows; always the same samples. */
export function interval(rows: number, figure: (sample: readonly number[]) => number): readonly [number, number] {
  let state = 12_345;
  const random = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff) / 0x8000_0000;
  const figures = Array.from({ length: 1_000 }, () =>
    figure(Array.from({ length: rows }, () => Math.floor(random() * rows))),
  ).sort((a, b) => a - b);
  return [figures[25]!, figures[974]!];
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
