import { countTokensAnthropic, generateAnthropic } from './anthropic/index.js';
import { MESSAGE_TOOLS } from './anthropic/tool-names.js';
import type { HostedCall } from './asked.js';
import { embedOpenAi } from './openai/embeddings.js';
import { generateOpenAi } from './openai/index.js';
import { CHAT_TOOLS } from './openai/tool-names.js';
import {
  notCarried,
  type EmbeddingRequest,
  type Embeddings,
  type GenerationEvent,
  type GenerationRequest,
} from './port.js';
import type { ProviderStyle } from './provider-styles.js';
import type { NamedTools } from './tool-names.js';

/** The calls of a provider style. */
interface ProviderCalls {
  generate(asked: HostedCall, request: GenerationRequest): AsyncIterator<readonly GenerationEvent[]>;
  embed(asked: HostedCall, request: EmbeddingRequest): Promise<Omit<Embeddings, 'provider'>>;
  /** null: there is no such call. */
  countTokens(asked: HostedCall, request: GenerationRequest): Promise<number | null>;
  readonly namedTools: NamedTools;
}

export const STYLES: Readonly<Record<ProviderStyle, ProviderCalls>> = {
  openai: {
    generate: generateOpenAi,
    embed: embedOpenAi,
    countTokens: () => Promise.resolve(null),
    namedTools: CHAT_TOOLS,
  },
  anthropic: {
    generate: generateAnthropic,
    embed: () => Promise.reject(notCarried('embeddings')),
    countTokens: countTokensAnthropic,
    namedTools: MESSAGE_TOOLS,
  },
};
