import type { DebertaConfig, RelativeConfig } from '#models/imported/index.js';
import type { Value } from './drawing.js';
import type { Layers } from './layers.js';

/** The inputs of the encoder, for a text of some tokens. */
interface EncoderInputs {
  /** int64 [tokens] */
  readonly ids: Value;
  /** int64 [1, tokens, tokens]: `relativeIndices` */
  readonly distances: Value;
}

/**
 * Draws the encoder of DeBERTa-v2 and v3: `DebertaV2Model` of transformers 5, for one text without padding.
 * @param words rows of the table of words
 * @returns [tokens, hidden size]
 * @see https://arxiv.org/abs/2006.03654
 */
export function drawEncoder(layers: Layers, config: DebertaConfig, words: number, inputs: EncoderInputs): Value {
  const embedded = embed(layers, config, words, inputs.ids);
  const { relative } = config;
  const relation = relative && { ...relative, ...drawRelation(layers, config, relative, inputs.distances) };
  let x = embedded;
  for (let layer = 0; layer < config.layers; layer++) {
    x = drawLayer(layers, config, `encoder.encoder.layer.${layer}`, x, relation);
    if (layer === 0 && config.convolution) x = convolve(layers, config, config.convolution, embedded, x);
  }
  return x;
}

function embed(layers: Layers, config: DebertaConfig, words: number, ids: Value): Value {
  const { drawing } = layers;
  const { embeddingSize: size, hiddenSize } = config;
  const table = (name: string, rows: number) => drawing.weight(`encoder.embeddings.${name}.weight`, [rows, size]);
  let x = layers.rows(table('word_embeddings', words), ids);
  if (config.hasPositionInput) {
    const count = layers.node('Shape', [ids]);
    const inputs = [table('position_embeddings', config.positions), drawing.integers(0), count, drawing.integers(0)];
    x = layers.add(x, layers.node('Slice', inputs));
  }
  if (config.segments > 0) x = layers.add(x, layers.slice(table('token_type_embeddings', config.segments), 0, 0, 1));
  if (size !== hiddenSize) {
    const weight = drawing.weight('encoder.embeddings.embed_proj.weight', [hiddenSize, size]);
    x = layers.node('Gemm', [x, weight], { transB: 1 });
  }
  return layers.norm(x, 'encoder.embeddings.LayerNorm', hiddenSize, config.epsilon);
}

/** What every layer needs of the distances. */
interface Relation extends RelativeConfig {
  /** [2 * span, hidden size] */
  readonly vectors: Value;
  /** int64 [heads, tokens, tokens], of the rows of `vectors`: from each word to each other, and the other way. */
  readonly fromIndices: Value;
  readonly toIndices: Value;
}

function drawRelation(
  layers: Layers,
  { heads, hiddenSize, epsilon }: DebertaConfig,
  relative: RelativeConfig,
  distances: Value,
): Omit<Relation, keyof RelativeConfig> {
  const { drawing } = layers;
  const table = drawing.weight('encoder.encoder.rel_embeddings.weight', [2 * spanOf(relative), hiddenSize]);
  const vectors = relative.isNormed ? layers.norm(table, 'encoder.encoder.LayerNorm', hiddenSize, epsilon) : table;
  const forHeads = (indices: Value) => layers.node('Expand', [indices, drawing.integers(heads, 1, 1)]);
  return {
    vectors,
    fromIndices: forHeads(distances),
    // Distances one way are those of the other way, negated.
    toIndices: forHeads(layers.transpose(distances, 0, 2, 1)),
  };
}

function drawLayer(layers: Layers, config: DebertaConfig, name: string, x: Value, relation: Relation | null): Value {
  const { hiddenSize: size, intermediateSize, epsilon } = config;
  const attended = attend(layers, config, `${name}.attention.self`, x, relation);
  const projected = layers.linear(attended, `${name}.attention.output.dense`, config.heads * config.headSize, size);
  const mixed = layers.norm(layers.add(projected, x), `${name}.attention.output.LayerNorm`, size, epsilon);
  const wide = layers.linear(mixed, `${name}.intermediate.dense`, size, intermediateSize);
  const narrow = layers.linear(
    layers.activation(wide, config.activation),
    `${name}.output.dense`,
    intermediateSize,
    size,
  );
  return layers.norm(layers.add(narrow, mixed), `${name}.output.LayerNorm`, size, epsilon);
}

/** Attention whose scores are of content to content, content to distance and distance to content. */
function attend(layers: Layers, config: DebertaConfig, name: string, x: Value, relation: Relation | null): Value {
  const { heads, headSize, hiddenSize, scoreTerms } = config;
  const project = (value: Value, part: string) =>
    layers.reshape(layers.linear(value, `${name}.${part}_proj`, hiddenSize, heads * headSize), 0, heads, headSize);
  const byHead = (value: Value) => layers.transpose(value, 1, 0, 2);
  const asColumns = (value: Value) => layers.transpose(value, 1, 2, 0);
  const query = byHead(project(x, 'query'));
  const key = project(x, 'key');
  const scale = layers.drawing.float(1 / Math.sqrt(headSize * scoreTerms));
  let scores = layers.node('MatMul', [query, asColumns(key)]);
  const pick = (table: Value, indices: Value) => layers.node('GatherElements', [table, indices], { axis: 2 });
  if (relation?.fromContent) {
    const keys = asColumns(project(relation.vectors, relation.sharesKeys ? 'key' : 'pos_key'));
    scores = layers.add(scores, pick(layers.node('MatMul', [query, keys]), relation.fromIndices));
  }
  if (relation?.toContent) {
    const queries = asColumns(project(relation.vectors, relation.sharesKeys ? 'query' : 'pos_query'));
    const picked = pick(layers.node('MatMul', [byHead(key), queries]), relation.toIndices);
    scores = layers.add(scores, layers.transpose(picked, 0, 2, 1));
  }
  const shares = layers.node('Softmax', [layers.node('Mul', [scores, scale])], { axis: 2 });
  const attended = layers.node('MatMul', [shares, byHead(project(x, 'value'))]);
  return layers.reshape(layers.transpose(attended, 1, 0, 2), 0, heads * headSize);
}

/** The convolution of DeBERTa-v2, over the embedded words, which is added to the first layer. */
function convolve(
  layers: Layers,
  { hiddenSize: size, epsilon }: DebertaConfig,
  { width, groups, activation }: NonNullable<DebertaConfig['convolution']>,
  embedded: Value,
  x: Value,
): Value {
  const { drawing } = layers;
  const name = 'encoder.encoder.conv';
  const channels = layers.node('Unsqueeze', [layers.transpose(embedded, 1, 0), drawing.integers(0)]);
  const weight = drawing.weight(`${name}.conv.weight`, [size, size / groups, width]);
  const pad = (width - 1) / 2;
  const inputs = [channels, weight, drawing.weight(`${name}.conv.bias`, [size])];
  const found = layers.node('Conv', inputs, { group: groups, pads: [pad, pad] });
  const rows = layers.transpose(layers.node('Squeeze', [found, drawing.integers(0)]), 1, 0);
  return layers.norm(layers.add(x, layers.activation(rows, activation)), `${name}.LayerNorm`, size, epsilon);
}

/** Half the rows of the table of distances. */
const spanOf = ({ buckets, maxDistance }: RelativeConfig): number => buckets ?? maxDistance;

/**
 * For each two tokens the row of the table of distances, as `build_relative_position` of transformers finds it, in its precision.
 * @returns [tokens, tokens], row-major: the row of `from - to`
 */
export function relativeIndices(tokens: number, relative: RelativeConfig): BigInt64Array {
  const span = spanOf(relative);
  const rows = new BigInt64Array(2 * tokens + 1);
  for (let distance = -tokens; distance <= tokens; distance++) {
    const row = bucketOf(distance, relative) + span;
    rows[distance + tokens] = BigInt(Math.max(0, Math.min(2 * span - 1, row)));
  }
  const indices = new BigInt64Array(tokens * tokens);
  for (let from = 0; from < tokens; from++)
    for (let to = 0; to < tokens; to++) indices[from * tokens + to] = rows[from - to + tokens]!;
  return indices;
}

/** Near distances are their own buckets; far ones share buckets by their logarithm. */
function bucketOf(distance: number, { buckets, maxDistance }: RelativeConfig): number {
  if (buckets === null) return distance;
  const middle = Math.floor(buckets / 2);
  const far = Math.abs(distance);
  if (far <= middle) return distance;
  const { fround, log } = Math;
  const share = fround(fround(log(fround(far / middle))) / fround(log(fround((maxDistance - 1) / middle))));
  return Math.sign(distance) * (Math.ceil(fround(share * (middle - 1))) + middle);
}
