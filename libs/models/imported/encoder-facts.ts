import { join } from 'node:path';
import { ImportError } from './import-error.js';
import { glinerContext, readGlinerConfig } from './gliner-config.js';
import { GLINER2_ENCODER } from './gliner2-config.js';
import { readConfig, wholeNumber, type Config } from './read-json.js';
import { DEFAULT_CONTEXT_TOKENS, positionsOf, tokenizerLimit } from './token-limits.js';

/** Facts of a text encoder from its files, without loading it. */
export interface EncoderFacts {
  readonly kind: 'anneal-encoder';
  /** `bert` */
  readonly architecture: string;
  /** `onnx`: a GLiNER model, which finds entities of any labels without training. */
  readonly format: 'safetensors' | 'onnx';
  /** Tokens of a text that it reads, of GLiNER and GLiNER2 together with the schema. */
  readonly contextTokens: number;
  /** Present for GLiNER2: it answers any schema without training. */
  readonly isGliner2?: true;
}

/** Text encoders, by `model_type`: each reads tokens in both directions and gives a vector for each. */
const TEXT_ENCODERS = [
  ...['albert', 'bert', 'camembert', 'convbert', 'deberta', 'deberta-v2', 'distilbert', 'electra', 'ernie', 'eurobert'],
  ...['megatron-bert', 'mobilebert', 'modernbert', 'mpnet', 'nomic_bert', 'rembert', 'roberta', 'roberta-prelayernorm'],
  ...['roformer', 'xlm-roberta'],
];

/** Whether a model of this type is an encoder. */
export const isTextEncoder = ({ model_type: type }: Config): boolean => TEXT_ENCODERS.includes(type as string);

/** @throws ImportError for an encoder that is part of a decoder, and for invalid numbers */
export function encoderFacts(folder: string, config: Config, files: readonly string[]): EncoderFacts {
  const path = join(folder, 'config.json');
  if (config['is_decoder'] === true || config['is_encoder_decoder'] === true)
    throw new ImportError(`${path} makes the encoder a part of a decoder (is_decoder), which is not known`);
  const architecture = config['model_type'] as string;
  const contextTokens = Math.min(positionsOf(path, config), tokenizerLimit(folder, files));
  if (contextTokens < 1) throw new ImportError(`${path}: max_position_embeddings leaves no room for a text`);
  return { kind: 'anneal-encoder', architecture, format: 'safetensors', contextTokens };
}

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

/** @throws ImportError for a GLiNER model of a kind that is not known */
export function glinerFacts(folder: string, files: readonly string[]): EncoderFacts {
  readGlinerConfig(folder);
  const contextTokens = glinerContext(folder, files);
  return { kind: 'anneal-encoder', architecture: 'gliner', format: 'onnx', contextTokens };
}
