import { countTokensAnthropic, generateAnthropic } from './anthropic/index.js';
import type { Dropped } from './dropped.js';
import { embedOpenAi } from './openai/embeddings.js';
import { generateOpenAi } from './openai/index.js';
import {
  notCarried,
  type EmbeddingRequest,
  type Embeddings,
  type GenerationEvent,
  type GenerationRequest,
} from './port.js';
import type { Provider, ProviderStyle } from './providers.js';
import type { Posting } from './upstream.js';

/** The provider to call, and the call's options. */
export interface Asked {
  readonly provider: Provider;
  readonly upstream: Posting;
  /** Id of the model at the provider. */
  readonly model: string;
  readonly signal: AbortSignal | undefined;
  /** Collects the hints that the provider is not sent. */
  readonly dropped: Dropped;
  /** False requests the whole answer at once. */
  readonly stream: boolean;
}

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
