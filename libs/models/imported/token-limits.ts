import { join } from 'node:path';
import { readJson, wholeNumber, type Config } from './read-json.js';

/** Of a configuration that has no number. */
export const DEFAULT_CONTEXT_TOKENS = 512;
/** Model types whose table of positions begins with unused ones, up to the padding's. */
const OFFSET_POSITIONS = ['camembert', 'mpnet', 'roberta', 'roberta-prelayernorm', 'xlm-roberta'];
const DEFAULT_PADDING = 1;

/** Tokens that an encoder has positions for; below 1 if none is left. @throws ImportError */
export function positionsOf(path: string, config: Config): number {
  const positions = wholeNumber(path, config, 'max_position_embeddings', DEFAULT_CONTEXT_TOKENS);
  const isOffset = OFFSET_POSITIONS.includes(config['model_type'] as string);
  return isOffset ? positions - wholeNumber(path, config, 'pad_token_id', DEFAULT_PADDING) - 1 : positions;
}

/** Tokens that the tokenizer gives; tokenizers without a limit have a number beyond all. @throws ImportError */
export function tokenizerLimit(folder: string, files: readonly string[]): number {
  if (!files.includes('tokenizer_config.json')) return Infinity;
  const limit = readJson(join(folder, 'tokenizer_config.json'))['model_max_length'];
  return typeof limit === 'number' && limit >= 1 ? limit : Infinity;
}
