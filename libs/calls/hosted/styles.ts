import { countTokensAnthropic, generateAnthropic } from './anthropic/index.js';
import type { Asked } from './asked.js';
import { embedOpenAi } from './openai/embeddings.js';
import { generateOpenAi } from './openai/index.js';
import {
  notCarried,
  type EmbeddingRequest,
  type Embeddings,
  type GenerationEvent,
  type GenerationRequest,
} from './port.js';
import type { ProviderStyle } from './providers.js';

/** The calls of a provider style. */
interface ProviderCalls {
  generate(asked: Asked, request: GenerationRequest): AsyncIterator<readonly GenerationEvent[]>;
  embed(asked: Asked, request: EmbeddingRequest): Promise<Embeddings>;
  /** null: there is no such call. */
  countTokens(asked: Asked, request: GenerationRequest): Promise<number | null>;
}

export const STYLES: Readonly<Record<ProviderStyle, ProviderCalls>> = {
  openai: {
    generate: generateOpenAi,
    embed: embedOpenAi,
    countTokens: () => Promise.resolve(null),
  },
  anthropic: {
    generate: generateAnthropic,
    embed: () => Promise.reject(notCarried('embeddings')),
    countTokens: countTokensAnthropic,
  },
};
