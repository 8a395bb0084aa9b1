/** Rounds of orthogonal iteration: after these, no vector turns by more than what 8 bits can tell. */
const ROUNDS = 40;

/** Row-major numbers. */
export interface Rows {
  readonly data: Float64Array;
  readonly count: number;
  readonly width: number;
}

/**
 * The coordinates of rows along their principal components, the strongest first. The rows are centred in place.
 * Adds, multiplies, divides and takes square roots in a fixed order, which every processor does alike.
 */
export function principalComponents(rows: Rows, components: number): Rows {
  centre(rows);
  const { data, count, width } = rows;
  const axes = principalAxes(covariance(rows), width, components);
  const projected = new Float64Array(count * components);
  for (let row = 0; row < count; row++)
    for (let axis = 0; axis < components; axis++)
      projected[row * components + axis] = dot(data, row * width, axes, axis * width, width);
  return { data: projected, count, width: components };
}

function centre({ data, count, width }: Rows): void {
  for (let column = 0; column < width; column++) {
    let sum = 0;
    for (let row = 0; row < count; row++) sum += data[row * width + column]!;
    for (let row = 0; row < count; row++) data[row * width + column]! -= sum / count;
  }
}

/** Not divided by the number of rows, which turns no axis. */
function covariance({ data, count, width }: Rows): Float64Array {
  const products = new Float64Array(width * width);
  for (let row = 0; row < count; row++)
    for (let a = 0; a < width; a++) {
      const value = data[row * width + a]!;
      for (let b = a; b < width; b++) products[a * width + b]! += value * data[row * width + b]!;
    }
  for (let a = 0; a < width; a++) for (let b = 0; b < a; b++) products[a * width + b] = products[b * width + a]!;
  return products;
}

/** Orthogonal iteration from the first unit vectors, each bent a little so that none begins at a right angle to its axis. */
function principalAxes(matrix: Float64Array, width: number, count: number): Float64Array {
  let axes = new Float64Array(count * width);
  for (let axis = 0; axis < count; axis++)
    for (let at = 0; at < width; at++) axes[axis * width + at] = at === axis ? 1 : 1 / (2 + axis + at);
  orthonormalize(axes, width, count);
  for (let round = 0; round < ROUNDS; round++) {
    const turned = new Float64Array(count * width);
    for (let axis = 0; axis < count; axis++)
      for (let at = 0; at < width; at++) turned[axis * width + at] = dot(matrix, at * width, axes, axis * width, width);
    axes = turned;
    orthonormalize(axes, width, count);
  }
  return axes;
}

/** Gram and Schmidt's, row by row. */
function orthonormalize(axes: Float64Array, width: number, count: number): void {
  for (let axis = 0; axis < count; axis++) {
    const own = axis * width;
    for (let earlier = 0; earlier < axis; earlier++) {
      const shared = dot(axes, own, axes, earlier * width, width);
      for (let at = 0; at < width; at++) axes[own + at]! -= shared * axes[earlier * width + at]!;
    }
    const length = Math.sqrt(dot(axes, own, axes, own, width));
    for (let at = 0; at < width; at++) axes[own + at]! /= length;
  }
}

function dot(a: Float64Array, fromA: number, b: Float64Array, fromB: number, length: number): number {
  let sum = 0;
  for (let at = 0; at < length; at++) sum += a[fromA + at]! * b[fromB + at]!;
  return sum;
}
