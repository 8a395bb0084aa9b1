/**
 * Takes a step of AdaGrad (Duchi, Hazan, Singer 2011) with one weight: `step` times its gradient, over the root of the
 * sum of the squares of all its gradients.
 * @param squares that sum for each weight
 * @param step the rate; negative to descend
 * @param shrink decoupled weight decay: multiplies the weight; 1 for none
 * @param initialSquare added to the sum, so that the first steps depend on the gradient
 */
export function stepWeight(
  weights: Float32Array,
  squares: Float32Array,
  at: number,
  gradient: number,
  step: number,
  shrink: number,
  initialSquare: number,
): void {
  const square = squares[at]! + gradient * gradient;
  squares[at] = square;
  weights[at] = weights[at]! * shrink + (step * gradient) / Math.sqrt(square + initialSquare);
}
