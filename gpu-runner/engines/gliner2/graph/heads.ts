import type { CountingLayer, Gliner2Config } from '#models/imported/index.js';
import type { Value } from './drawing.js';
import type { Layers } from './layers.js';

/** Records of one kind in a text at most, plus none. */
export const COUNTS = 20;
/** Of `nn.LayerNorm`. */
const EPSILON = 1e-5;

/** Draws a score for each choice of a classification. @returns [choices, 1] */
export const drawClassifier = (layers: Layers, size: number, choices: Value): Value =>
  layers.mlp(choices, 'classifier', [size, 2 * size, 1], [0, 2]);

/** Draws a score for each number of records. @returns [prompts, COUNTS] */
export const drawCounts = (layers: Layers, size: number, prompts: Value): Value =>
  layers.mlp(prompts, 'count_pred', [size, 2 * size, COUNTS], [0, 2]);

interface QueryInputs {
  /** [fields, size] */
  readonly fields: Value;
  /** int64 [1]: records at most. */
  readonly steps: Value;
  /** [fields, fields]: what is added to their attention, nothing for fields of one structure. */
  readonly mask: Value;
}

/** Draws what is looked for: each field of each record. @returns [steps * fields, size], the records one after the other */
export function drawQueries(layers: Layers, layer: CountingLayer, size: number, inputs: QueryInputs): Value {
  const { drawing } = layers;
  const name = 'count_embed';
  const { fields, steps } = inputs;
  const axis = drawing.integers(0);
  const positions = layers.node('Slice', [
    drawing.weight(`${name}.pos_embedding.weight`, [COUNTS, size]),
    ...[axis, steps, axis],
  ]);
  const count = layers.slice(layers.node('Shape', [fields]), 0, 0, 1);
  const all = layers.node('Concat', [steps, count, drawing.integers(size)], { axis: 0 });
  const sequence = layers.node('Expand', [layers.node('Unsqueeze', [positions, drawing.integers(1)]), all]);
  const states = recur(layers, `${name}.gru`, size, sequence, fields);
  const repeated = layers.reshape(layers.node('Expand', [fields, all]), -1, size);
  if (layer === 'count_lstm_moe') return mixExperts(layers, name, size, states);
  if (layer === 'count_lstm_v2') {
    const sum = layers.add(states, repeated);
    return transform(layers, `${name}.transformer`, size, sum, inputs.mask, count);
  }
  const both = layers.node('Concat', [states, repeated], { axis: 1 });
  return layers.mlp(both, `${name}.projector`, [2 * size, 4 * size, size], [0, 2]);
}

/**
 * A GRU of one layer. torch has its gates in the order reset, update, new; ONNX update, reset, new.
 * @returns [steps * rows, size]
 */
function recur(layers: Layers, name: string, size: number, sequence: Value, start: Value): Value {
  const { drawing } = layers;
  const reordered = (weight: Value) => {
    const [reset, update, fresh] = [0, 1, 2].map((gate) => layers.slice(weight, 0, gate * size, (gate + 1) * size));
    return layers.node('Concat', [update!, reset!, fresh!], { axis: 0 });
  };
  const first = (value: Value) => layers.node('Unsqueeze', [value, drawing.integers(0)]);
  const weights = ['ih', 'hh'].map((part) =>
    first(reordered(drawing.weight(`${name}.weight_${part}_l0`, [3 * size, size]))),
  );
  const biases = ['ih', 'hh'].map((part) => reordered(drawing.weight(`${name}.bias_${part}_l0`, [3 * size])));
  const bias = first(layers.node('Concat', biases, { axis: 0 }));
  const inputs = [sequence, ...weights, bias, '', first(start)];
  const states = layers.node('GRU', inputs, { hidden_size: size, linear_before_reset: 1 });
  return layers.reshape(states, -1, size);
}

/** Four small networks, weighed by a fifth for each row. */
function mixExperts(layers: Layers, name: string, size: number, rows: Value): Value {
  const { drawing } = layers;
  const experts = 4;
  const inner = 2 * size;
  const hidden = layers.activation(layers.linear(rows, `${name}.router.0`, size, size), 'gelu');
  const gates = layers.node('Softmax', [layers.linear(hidden, `${name}.router.2`, size, experts)], { axis: 1 });
  const expert = (x: Value, part: string, from: number, to: number) => {
    const product = layers.node('MatMul', [x, drawing.weight(`${name}.w${part}`, [experts, from, to])]);
    const bias = drawing.weight(`${name}.b${part}`, [experts, to]);
    return layers.add(product, layers.node('Unsqueeze', [bias, drawing.integers(1)]));
  };
  const wide = layers.activation(expert(rows, '1', size, inner), 'gelu');
  const each = expert(wide, '2', inner, size);
  const weights = layers.node('Unsqueeze', [layers.transpose(gates, 1, 0), drawing.integers(2)]);
  return layers.node('ReduceSum', [layers.node('Mul', [each, weights]), drawing.integers(0)], { keepdims: 0 });
}

/** A transformer of two narrow layers, in which the fields of a record see one another: `DownscaledTransformer`. */
function transform(layers: Layers, name: string, size: number, rows: Value, mask: Value, count: Value): Value {
  const [width, depth] = [128, 2];
  let x = layers.linear(rows, `${name}.in_projector`, size, width);
  for (let layer = 0; layer < depth; layer++) {
    const own = `${name}.transformer.layers.${layer}`;
    const attended = attendFields(layers, `${own}.self_attn`, width, x, mask, count);
    x = layers.norm(layers.add(x, attended), `${own}.norm1`, width, EPSILON);
    const wide = layers.node('Relu', [layers.linear(x, `${own}.linear1`, width, 2 * width)]);
    x = layers.norm(
      layers.add(x, layers.linear(wide, `${own}.linear2`, 2 * width, width)),
      `${own}.norm2`,
      width,
      EPSILON,
    );
  }
  const both = layers.node('Concat', [x, rows], { axis: 1 });
  return layers.mlp(both, `${name}.out_projector`, [width + size, size, size, size], [0, 2, 4]);
}

/** `nn.MultiheadAttention` within each record. */
function attendFields(layers: Layers, name: string, width: number, rows: Value, mask: Value, count: Value): Value {
  const { drawing } = layers;
  const heads = 4;
  const headSize = width / heads;
  const weight = drawing.weight(`${name}.in_proj_weight`, [3 * width, width]);
  const bias = drawing.weight(`${name}.in_proj_bias`, [3 * width]);
  const all = layers.node('Gemm', [rows, weight, bias], { transB: 1 });
  const shape = layers.node('Concat', [drawing.integers(-1), count, drawing.integers(heads, headSize)], { axis: 0 });
  /** [records, heads, fields, head size], or with the last two swapped. */
  const part = (at: number, ...perm: readonly number[]) =>
    layers.transpose(layers.node('Reshape', [layers.slice(all, 1, at * width, (at + 1) * width), shape]), ...perm);
  const products = layers.node('MatMul', [part(0, 0, 2, 1, 3), part(1, 0, 2, 3, 1)]);
  const scores = layers.node('Mul', [products, drawing.float(1 / Math.sqrt(headSize))]);
  const shares = layers.node('Softmax', [layers.add(scores, mask)], { axis: 3 });
  const mixed = layers.transpose(layers.node('MatMul', [shares, part(2, 0, 2, 1, 3)]), 0, 2, 1, 3);
  return layers.linear(layers.reshape(mixed, -1, width), `${name}.out_proj`, width, width);
}

interface SpanInputs {
  /** [words, size] */
  readonly words: Value;
  /** [queries, size] */
  readonly queries: Value;
  /** int64 [spans]: first and last word of each. */
  readonly firsts: Value;
  readonly lasts: Value;
}

/**
 * Draws how well each span is each of what is looked for: `SpanMarkerV0`, whose first layer is applied to each word once, not to each
 * span, and whose last one to what is looked for.
 * @returns [spans, queries]
 */
export function drawSpanScores(layers: Layers, size: number, inputs: SpanInputs): Value {
  const { drawing } = layers;
  const name = 'span_rep.span_rep_layer';
  const weight = drawing.weight(`${name}.out_project.0.weight`, [4 * size, 2 * size]);
  const end = (part: string, at: number, indices: Value) => {
    const seen = layers.node('Relu', [
      layers.mlp(inputs.words, `${name}.project_${part}`, [size, 4 * size, size], [0, 3]),
    ]);
    const projected = layers.node('Gemm', [seen, layers.slice(weight, 1, at * size, (at + 1) * size)], { transB: 1 });
    return layers.rows(projected, indices);
  };
  const bias = drawing.weight(`${name}.out_project.0.bias`, [4 * size]);
  const hidden = layers.node('Relu', [layers.add(end('start', 0, inputs.firsts), end('end', 1, inputs.lasts), bias)]);
  const folded = layers.node('MatMul', [
    inputs.queries,
    drawing.weight(`${name}.out_project.3.weight`, [size, 4 * size]),
  ]);
  const own = layers.node('MatMul', [inputs.queries, drawing.weight(`${name}.out_project.3.bias`, [size])]);
  return layers.node('Gemm', [hidden, folded, own], { transB: 1 });
}

export type HeadsConfig = Pick<Gliner2Config, 'countingLayer' | 'maxWidth'>;
