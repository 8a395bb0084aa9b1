import { countTokensAnthropic, generateAnthropic } from './anthropic/index.js';
import type { HostedCall } from './asked.js';
import { embedOpenAi } from './openai/embeddings.js';
import { generateOpenAi } from './openai/index.js';
import {
  notCarried,
  type EmbeddingRequest,
  type Embeddings,
  type GenerationEvent,
  type GenerationRequest,
} from './port.js';
import type { ProviderStyle } from './provider-styles.js';

/** The calls of a provider style. */
interface ProviderCalls {
  generate(asked: HostedCall, request: GenerationRequest): AsyncIterator<readonly GenerationEvent[]>;
  embed(asked: HostedCall, request: EmbeddingRequest): Promise<Embeddings>;
  /** null: there is no such call. */
  countTokens(asked: HostedCall, request: GenerationRequest): Promise<number | null>;
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
