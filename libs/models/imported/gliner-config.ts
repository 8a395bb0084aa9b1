import { join } from 'node:path';
import { ImportError } from './import-error.js';
import { readConfig, wholeNumber, type Config } from './read-json.js';
import { positionsOf, tokenizerLimit } from './token-limits.js';

/** The configuration that the Python package `gliner` writes beside a model's weights. */
export const GLINER_CONFIG = 'gliner_config.json';

/** How a GLiNER model reads texts. */
export interface GlinerConfig {
  /** `span`: it scores each span of words. `token`: each word as the start, the end and the inside of a span. */
  readonly mode: 'span' | 'token';
  /** Words of a span at most; of mode `token` the usual number. */
  readonly maxWidth: number;
  /** Words of a text that it was trained to read at a time. */
  readonly maxWords: number;
  /** Token before each label, and token between the labels and the text. */
  readonly entToken: string;
  readonly sepToken: string;
  /** The parts of a word that stand for it. */
  readonly pooling: 'first' | 'last' | 'all';
}

const SPLITTER = 'whitespace';
const POOLING: Readonly<Record<string, GlinerConfig['pooling']>> = {
  ...{ first: 'first', last: 'last', mean: 'all', max: 'all' },
};
/** The modes whose graphs take all spans and score each. */
const SPAN_MODES = [
  ...['marker', 'markerV0', 'markerV1', 'markerV2', 'query', 'mlp', 'cat'],
  ...['conv_conv', 'conv_max', 'conv_mean', 'conv_sum', 'conv_share'],
];
const TOKEN_MODE = 'token_level';
/** Parts of models whose graphs have other inputs or outputs, by the field that names them. */
const UNKNOWN_PARTS = {
  labels_encoder: 'an encoder of its own for labels',
  labels_decoder: 'a decoder that writes labels',
  relations_layer: 'a head for relations',
  precomputed_prompts_mode: 'labels that were fixed in advance',
} as const;

/** @throws ImportError naming a field that is not known, or invalid */
export function readGlinerConfig(folder: string): GlinerConfig {
  const path = join(folder, GLINER_CONFIG);
  const config = readConfig(path);
  const refuse = (field: string, why: string) => new ImportError(`${path}: ${field} ${why}`);
  for (const [field, what] of Object.entries(UNKNOWN_PARTS))
    if ((config[field] ?? false) !== false) throw refuse(field, `gives the model ${what}, which is not known`);
  if (config['model_type'] === 'gliner_streaming_span')
    throw refuse('model_type', 'makes it a streaming model, which is not known');
  const splitter = config['words_splitter_type'] ?? SPLITTER;
  if (splitter !== SPLITTER)
    throw refuse('words_splitter_type', `must be ${SPLITTER} (got ${JSON.stringify(splitter)})`);
  const mode = config['span_mode'] ?? 'markerV0';
  if (mode !== TOKEN_MODE && !SPAN_MODES.includes(mode as string))
    throw refuse('span_mode', `must be ${TOKEN_MODE} or one of ${SPAN_MODES.join(', ')} (got ${JSON.stringify(mode)})`);
  const pooling = config['subtoken_pooling'] ?? 'first';
  if (typeof pooling !== 'string' || !Object.hasOwn(POOLING, pooling))
    throw refuse('subtoken_pooling', `must be one of ${Object.keys(POOLING).join(', ')}`);
  return {
    mode: mode === TOKEN_MODE ? 'token' : 'span',
    maxWidth: wholeNumber(path, config, 'max_width', 12),
    maxWords: wholeNumber(path, config, 'max_len', 384),
    entToken: tokenOf(config, 'ent_token', '<<ENT>>', refuse),
    sepToken: tokenOf(config, 'sep_token', '<<SEP>>', refuse),
    pooling: POOLING[pooling]!,
  };
}

/** Tokens that the model reads at a time, labels and text together. @throws ImportError */
export function glinerContext(folder: string, files: readonly string[]): number {
  const path = join(folder, GLINER_CONFIG);
  const encoder = (readConfig(path)['encoder_config'] ?? {}) as Config;
  const contextTokens = Math.min(positionsOf(path, encoder), tokenizerLimit(folder, files));
  if (contextTokens < 1) throw new ImportError(`${path}: max_position_embeddings leaves no room for a text`);
  return contextTokens;
}

function tokenOf(
  config: Config,
  field: string,
  otherwise: string,
  refuse: (field: string, why: string) => ImportError,
): string {
  const token = config[field] ?? otherwise;
  // A word of a text must not be taken for it.
  if (typeof token !== 'string' || !/^\S+$/.test(token) || /^[\p{L}\p{N}_-]*$/u.test(token) || [...token].length < 2)
    throw refuse(field, `must be a text with signs, such as ${otherwise} (got ${JSON.stringify(token)})`);
  return token;
}
