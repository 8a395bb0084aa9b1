import type { Activation } from '#models/imported/index.js';
import type { Drawing, Value } from './drawing.js';

/** The layers of torch that the encoder and the heads are made of. Values have two axes: rows, and numbers of a row. */
export class Layers {
  constructor(readonly drawing: Drawing) {}

  node: Drawing['node'] = (...args) => this.drawing.node(...args);

  linear(x: Value, name: string, from: number, to: number): Value {
    const { drawing } = this;
    const inputs = [x, drawing.weight(`${name}.weight`, [to, from]), drawing.weight(`${name}.bias`, [to])];
    return drawing.node('Gemm', inputs, { transB: 1 });
  }

  /** Linear layers with a ReLU between each two: `Sequential(Linear, ReLU, ..., Linear)`. */
  mlp(x: Value, name: string, sizes: readonly number[], indices: readonly number[]): Value {
    return indices.reduce((value, index, at) => {
      const linear = this.linear(value, `${name}.${index}`, sizes[at]!, sizes[at + 1]!);
      return at === indices.length - 1 ? linear : this.node('Relu', [linear]);
    }, x);
  }

  norm(x: Value, name: string, size: number, epsilon: number): Value {
    const { drawing } = this;
    const inputs = [x, drawing.weight(`${name}.weight`, [size]), drawing.weight(`${name}.bias`, [size])];
    return drawing.node('LayerNormalization', inputs, { epsilon: { float: epsilon } });
  }

  activation(x: Value, kind: Activation): Value {
    const operators = { relu: 'Relu', tanh: 'Tanh', sigmoid: 'Sigmoid' } as const;
    if (kind === 'gelu' || kind === 'gelu_tanh')
      return this.node('Gelu', [x], { approximate: kind === 'gelu' ? 'none' : 'tanh' });
    return this.node(operators[kind], [x]);
  }

  /** @param shape -1: what is left; 0: as before */
  reshape(x: Value, ...shape: readonly number[]): Value {
    return this.node('Reshape', [x, this.drawing.integers(...shape)]);
  }

  transpose(x: Value, ...perm: readonly number[]): Value {
    return this.node('Transpose', [x], { perm });
  }

  add(...values: readonly Value[]): Value {
    return values.reduce((sum, value) => this.node('Add', [sum, value]));
  }

  rows(x: Value, indices: Value): Value {
    return this.node('Gather', [x, indices], { axis: 0 });
  }

  /** From `from` to `to`, exclusive, on an axis. */
  slice(x: Value, axis: number, from: number, to: number): Value {
    const { drawing } = this;
    return drawing.node('Slice', [x, drawing.integers(from), drawing.integers(to), drawing.integers(axis)]);
  }
}
