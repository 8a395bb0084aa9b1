/** Features of the alternatives of a choice, and which of them is right. An alternative of no features scores 0. */
export interface MadeChoice {
  readonly alternatives: readonly (readonly number[])[];
  readonly right: number;
}

const MAX_STEPS = 50;
/** Least change of a weight, in deviations of its feature, that calls for another step. */
const SETTLED = 1e-7;

/**
 * Weights under which the right alternatives are most probable: conditional logistic regression (McFadden 1974), by Newton's method.
 * @param penalty of the square of each weight times the deviation of its feature; features that do not vary have none
 */
export function fitChoices(choices: readonly MadeChoice[], penalty: number): readonly number[] {
  const deviations = deviationsOf(
    choices.flatMap(({ alternatives }) => alternatives.filter((each) => each.length > 0)),
  );
  const scaled = choices.map(({ alternatives, right }) => ({
    alternatives: alternatives.map((each) => each.map((value, at) => value / (deviations[at]! || 1))),
    right,
  }));
  const penalties = deviations.map((deviation) => (deviation === 0 ? 0 : penalty));
  let weights = penalties.map(() => 0);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradient, curvature } = slopesAt(scaled, weights, penalties);
    const change = solve(curvature, gradient);
    weights = weights.map((weight, at) => weight - change[at]!);
    if (change.every((value) => Math.abs(value) < SETTLED)) break;
  }
  return weights.map((weight, at) => weight / (deviations[at]! || 1));
}

/** First and second derivatives of the negative log likelihood with the penalties. */
function slopesAt(choices: readonly MadeChoice[], weights: readonly number[], penalties: readonly number[]) {
  const gradient = weights.map((weight, at) => weight * penalties[at]!);
  const curvature = penalties.map((penalty, row) => penalties.map((_, column) => (row === column ? penalty : 0)));
  for (const { alternatives, right } of choices) {
    const scores = alternatives.map((each) => each.reduce((sum, value, at) => sum + value * weights[at]!, 0));
    const largest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - largest));
    const total = powers.reduce((sum, value) => sum + value, 0);
    const mean = weights.map(() => 0);
    alternatives.forEach((each, index) => each.forEach((value, at) => (mean[at]! += (value * powers[index]!) / total)));
    mean.forEach((value, at) => (gradient[at]! += value - (alternatives[right]![at] ?? 0)));
    alternatives.forEach((each, index) => {
      const probability = powers[index]! / total;
      const away = mean.map((value, at) => (each[at] ?? 0) - value);
      away.forEach((value, row) => {
        const line = curvature[row]!;
        for (let column = 0; column < away.length; column++) line[column]! += probability * value * away[column]!;
      });
    });
  }
  return { gradient, curvature };
}

function deviationsOf(rows: readonly (readonly number[])[]): readonly number[] {
  return rows[0]!.map((_, at) => {
    const mean = rows.reduce((sum, row) => sum + row[at]!, 0) / rows.length;
    const variance = rows.reduce((sum, row) => sum + (row[at]! - mean) ** 2, 0) / rows.length;
    return variance < 1e-12 ? 0 : Math.sqrt(variance);
  });
}

/** Solves a symmetric, positive definite system by Gaussian elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!]);
  const n = rows.length;
  for (let pivot = 0; pivot < n; pivot++)
    for (let row = pivot + 1; row < n; row++) {
      const factor = rows[row]![pivot]! / rows[pivot]![pivot]!;
      for (let at = pivot; at <= n; at++) rows[row]![at]! -= factor * rows[pivot]![at]!;
    }
  const solution = right.map(() => 0);
  for (let row = n - 1; row >= 0; row--) {
    let sum = rows[row]![n]!;
    for (let at = row + 1; at < n; at++) sum -= rows[row]![at]! * solution[at]!;
    solution[row] = sum / rows[row]![row]!;
  }
  return solution;
}
