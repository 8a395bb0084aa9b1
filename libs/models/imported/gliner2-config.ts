import { join } from 'node:path';
import { ImportError } from './import-error.js';
import { readConfig, wholeNumber, type Config } from './read-json.js';

/** Configuration of the text encoder within a GLiNER2 model. */
export const GLINER2_ENCODER = 'encoder_config/config.json';

/** A GLiNER2 model as its package `gliner2` configures it: an encoder of the kind DeBERTa-v2 or v3, and heads that score spans. */
export interface Gliner2Config {
  /** Words of a span at most. */
  readonly maxWidth: number;
  readonly countingLayer: CountingLayer;
  readonly encoder: DebertaConfig;
}

/** Sizes and parts of the encoder, named as in transformers. */
export interface DebertaConfig {
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  /** Numbers of one head. */
  readonly headSize: number;
  readonly intermediateSize: number;
  readonly embeddingSize: number;
  readonly positions: number;
  readonly segments: number;
  readonly epsilon: number;
  readonly activation: Activation;
  /** Positions are added to the words. */
  readonly hasPositionInput: boolean;
  /** null: words attend by content alone. */
  readonly relative: RelativeConfig | null;
  /** Terms of an attention score, by which it is scaled. */
  readonly scoreTerms: number;
  /** A convolution beside the first layer; null: none. */
  readonly convolution: { readonly width: number; readonly groups: number; readonly activation: Activation } | null;
}

/** How attention depends on the distance of two words. */
export interface RelativeConfig {
  readonly maxDistance: number;
  /** Distances beyond half as many share a bucket with others; null: each has its own. */
  readonly buckets: number | null;
  readonly fromContent: boolean;
  readonly toContent: boolean;
  readonly sharesKeys: boolean;
  readonly isNormed: boolean;
}

const COUNTING_LAYERS = ['count_lstm', 'count_lstm_v2', 'count_lstm_moe'] as const;
export type CountingLayer = (typeof COUNTING_LAYERS)[number];

/** Names in transformers, by function. */
const ACTIVATIONS = {
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'gelu_tanh',
  gelu_fast: 'gelu_tanh',
  gelu_pytorch_tanh: 'gelu_tanh',
  gelu_python_tanh: 'gelu_tanh',
  relu: 'relu',
  tanh: 'tanh',
  sigmoid: 'sigmoid',
} as const;
export type Activation = (typeof ACTIVATIONS)[keyof typeof ACTIVATIONS];

/** A text takes memory by the square of its tokens, and a span more by each word. */
const MAX_POSITIONS = 2048;
const MAX_WIDTH = 32;

/** @throws ImportError naming a field that asks for what only the torch engine does, or that is invalid */
export function readGliner2Config(folder: string): Gliner2Config {
  const path = join(folder, 'config.json');
  const config = readConfig(path);
  const read = new Reader(path, config);
  read.oneOf('architecture', ['span'], 'span');
  const head = (config['span_head'] ?? {}) as Config;
  new Reader(`${path}: span_head`, head).oneOf('span_mode', ['markerV0'], 'markerV0');
  read.oneOf('token_pooling', ['first'], 'first');
  const [where, width] = head['max_width'] == null ? [path, config] : [`${path}: span_head`, head];
  return {
    maxWidth: new Reader(where, width).atMost('max_width', MAX_WIDTH, 8),
    countingLayer: read.oneOf('counting_layer', COUNTING_LAYERS, 'count_lstm'),
    encoder: debertaConfig(join(folder, GLINER2_ENCODER)),
  };
}

function debertaConfig(path: string): DebertaConfig {
  const config = readConfig(path);
  const read = new Reader(path, config);
  read.oneOf('model_type', ['deberta-v2'], '');
  const hiddenSize = read.number('hidden_size', 1536);
  const heads = read.number('num_attention_heads', 24);
  if (hiddenSize % heads !== 0)
    throw read.refuse('hidden_size', `must be a multiple of num_attention_heads (${heads})`);
  const terms = termsOf(config['pos_att_type']);
  const positions = read.atMost('max_position_embeddings', MAX_POSITIONS, 512);
  const width = read.optional('conv_kernel_size');
  if (width !== null && width % 2 === 0) throw read.refuse('conv_kernel_size', `must be odd (got ${width})`);
  return {
    hiddenSize,
    heads,
    layers: read.number('num_hidden_layers', 24),
    headSize: read.number('attention_head_size', hiddenSize / heads),
    intermediateSize: read.number('intermediate_size', 6144),
    embeddingSize: read.number('embedding_size', hiddenSize),
    positions,
    segments: read.optional('type_vocab_size') ?? 0,
    epsilon: read.epsilon(),
    activation: ACTIVATIONS[read.oneOf('hidden_act', activations, 'gelu')],
    hasPositionInput: config['position_biased_input'] !== false,
    relative: config['relative_attention'] === true ? relativeConfig(read, terms, positions) : null,
    scoreTerms: 1 + ['c2p', 'p2c'].filter((term) => terms.includes(term)).length,
    convolution: width === null ? null : convolution(read, width),
  };
}

const activations = Object.keys(ACTIVATIONS) as (keyof typeof ACTIVATIONS)[];

const convolution = (read: Reader, width: number): DebertaConfig['convolution'] => ({
  width,
  groups: read.number('conv_groups', 1),
  activation: ACTIVATIONS[read.oneOf('conv_act', activations, 'tanh')],
});

function relativeConfig(read: Reader, terms: readonly string[], positions: number): RelativeConfig {
  const { config } = read;
  const norm = config['norm_rel_ebd'] ?? 'none';
  return {
    maxDistance: read.optional('max_relative_positions') ?? positions,
    buckets: read.optional('position_buckets'),
    fromContent: terms.includes('c2p'),
    toContent: terms.includes('p2c'),
    sharesKeys: config['share_att_key'] === true,
    isNormed: typeof norm === 'string' && termsOf(norm).includes('layer_norm'),
  };
}

/** `p2c|c2p`, or a list. */
const termsOf = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? value.split('|').map((term) => term.trim().toLowerCase())
    : Array.isArray(value)
      ? value.map(String)
      : [];

/** Reads fields of a file. */
class Reader {
  constructor(
    private readonly path: string,
    readonly config: Config,
  ) {}

  refuse(field: string, why: string): ImportError {
    return new ImportError(`${this.path}: ${field} ${why}`);
  }

  oneOf<Known extends string>(field: string, known: readonly Known[], otherwise: Known | ''): Known {
    const value = this.config[field] ?? otherwise;
    if (known.includes(value as Known)) return value as Known;
    const only = known.length === 1 ? known[0]! : `one of ${known.join(', ')}`;
    throw this.refuse(field, `must be ${only}, unless the torch engine is installed (got ${JSON.stringify(value)})`);
  }

  number(field: string, otherwise: number): number {
    return wholeNumber(this.path, this.config, field, otherwise);
  }

  atMost(field: string, most: number, otherwise: number): number {
    const value = this.number(field, otherwise);
    if (value <= most) return value;
    throw this.refuse(field, `must be at most ${most}, unless the torch engine is installed (got ${value})`);
  }

  /** A number above 0; null if there is none, or one of at most 0, which stands for none. */
  optional(field: string): number | null {
    const value = this.config[field] ?? 0;
    return typeof value === 'number' && value <= 0 ? null : this.number(field, 1);
  }

  epsilon(): number {
    const value = this.config['layer_norm_eps'] ?? 1e-7;
    if (typeof value === 'number' && value > 0 && value < 1) return value;
    throw this.refuse('layer_norm_eps', 'must be a number between 0 and 1');
  }
}
