import type { MarginMachine } from './margin-machine.js';
import type { VectorRows } from './rows.js';

/** Rows by how their vectors differ from the mean, in units of the mean difference. */
export interface CentredRows {
  readonly rows: VectorRows;
  /** The machine that scores a vector as it is as the given one scores it centred. */
  readonly uncentred: (machine: MarginMachine) => MarginMachine;
  /** The reverse. */
  readonly centred: (machine: MarginMachine) => MarginMachine;
}

/**
 * Vectors of an inner layer have most of their length in common, which a penalty on weights must not see.
 * @param rows of dense vectors
 */
export function centredRows(rows: VectorRows, dimensions: number): CentredRows {
  const vectors = Array.from({ length: rows.count }, (_, row) => rows.vector(row));
  const mean = new Float64Array(dimensions);
  for (const { values } of vectors) values.forEach((value, d) => (mean[d]! += value / vectors.length));
  const differences = vectors.map(({ values }) => Float32Array.from(values, (value, d) => value - mean[d]!));
  const length = differences.reduce((sum, each) => sum + Math.hypot(...each) / differences.length, 0);
  const scale = length < 1e-6 ? 1 : 1 / length;
  const values = differences.map((each) => each.map((value) => scale * value));
  const moved = ({ weights, bias }: MarginMachine, factor: number, sign: number): MarginMachine => {
    const classes = bias.length;
    const scaled = weights.map((weight) => factor * weight);
    const raw = sign < 0 ? scaled : weights;
    return {
      weights: scaled,
      bias: bias.map((value, k) => value + sign * mean.reduce((sum, at, d) => sum + at * raw[d * classes + k]!, 0)),
    };
  };
  return {
    rows: { ...rows, vector: (row) => ({ indices: vectors[row]!.indices, values: values[row]! }) },
    uncentred: (machine) => moved(machine, scale, -1),
    centred: (machine) => moved(machine, 1 / scale, 1),
  };
}
