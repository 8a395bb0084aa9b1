import { join } from 'node:path';
import { ImportError } from './import-error.js';
import { readConfig, readJson, wholeNumber, type Config } from './read-json.js';

/** Facts of a text encoder from its files, without loading it. */
export interface EncoderFacts {
  readonly kind: 'anneal-encoder';
  /** `bert` */
  readonly architecture: string;
  readonly format: 'safetensors';
  /** Tokens of a text that it reads, of GLiNER2 together with the schema. */
  readonly contextTokens: number;
  /** Present for GLiNER2: it answers any schema without training. */
  readonly isGliner2?: true;
}

const DEFAULT_CONTEXT_TOKENS = 512;

/** Text encoders, by `model_type`: each reads tokens in both directions and gives a vector for each. */
const TEXT_ENCODERS = [
  ...['albert', 'bert', 'camembert', 'convbert', 'deberta', 'deberta-v2', 'distilbert', 'electra', 'ernie', 'eurobert'],
  ...['megatron-bert', 'mobilebert', 'modernbert', 'mpnet', 'nomic_bert', 'rembert', 'roberta', 'roberta-prelayernorm'],
  ...['roformer', 'xlm-roberta'],
];
/** Model types whose table of positions begins with unused ones, up to the padding's. */
const OFFSET_POSITIONS = ['camembert', 'mpnet', 'roberta', 'roberta-prelayernorm', 'xlm-roberta'];
const DEFAULT_PADDING = 1;

/** Whether a model of this type is an encoder. */
export const isTextEncoder = ({ model_type: type }: Config): boolean => TEXT_ENCODERS.includes(type as string);

/** @throws ImportError for an encoder that is part of a decoder, and for invalid numbers */
export function encoderFacts(folder: string, config: Config, files: readonly string[]): EncoderFacts {
  const path = join(folder, 'config.json');
  if (config['is_decoder'] === true || config['is_encoder_decoder'] === true)
    throw new ImportError(`${path} makes the encoder a part of a decoder (is_decoder), which is not known`);
  const architecture = config['model_type'] as string;
  const positions = wholeNumber(path, config, 'max_position_embeddings', DEFAULT_CONTEXT_TOKENS);
  const unused = OFFSET_POSITIONS.includes(architecture)
    ? wholeNumber(path, config, 'pad_token_id', DEFAULT_PADDING) + 1
    : 0;
  const contextTokens = Math.min(positions - unused, tokenizerLimit(folder, files));
  if (contextTokens < 1) throw new ImportError(`${path}: max_position_embeddings leaves no room for a text`);
  return { kind: 'anneal-encoder', architecture, format: 'safetensors', contextTokens };
}

/** Configuration of the text encoder within a GLiNER2 model. */
export const GLINER2_ENCODER = 'encoder_config/config.json';

/** Whether a configuration is that of the `gliner2` package. */
export const isGliner2 = ({ model_type: type }: Config): boolean => type === 'extractor';

/** @throws ImportError if files of the package's format are missing, or require code */
export function gliner2Facts(folder: string, files: readonly string[]): EncoderFacts {
  if (!files.includes('model.safetensors')) throw new ImportError(`${folder} has no model.safetensors`);
  const path = join(folder, GLINER2_ENCODER);
  const config = readConfig(path);
  const contextTokens = wholeNumber(path, config, 'max_position_embeddings', DEFAULT_CONTEXT_TOKENS);
  return { kind: 'anneal-encoder', architecture: 'gliner2', format: 'safetensors', contextTokens, isGliner2: true };
}

/** Tokens that the tokenizer gives; tokenizers without a limit have a number beyond all. */
function tokenizerLimit(folder: string, files: readonly string[]): number {
  if (!files.includes('tokenizer_config.json')) return Infinity;
  const limit = readJson(join(folder, 'tokenizer_config.json'))['model_max_length'];
  return typeof limit === 'number' && limit >= 1 ? limit : Infinity;
}
