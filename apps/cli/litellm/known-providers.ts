import type { JsonObject } from '#domain/json.js';

/** A provider of LiteLLM that one of our styles can call. */
export interface KnownProvider {
  readonly style: 'openai' | 'anthropic';
  /** null: the configuration must have it. */
  readonly baseUrl: string | null;
  /** The variable that LiteLLM reads when the configuration names no key; null: none is needed. */
  readonly keyEnv: string | null;
  /** What is appended to an `api_base`, unless it ends so. */
  readonly path?: string;
  /** Further fields of the providers file. */
  readonly fields?: JsonObject;
}

const openai = (baseUrl: string | null, keyEnv: string | null): KnownProvider => ({ style: 'openai', baseUrl, keyEnv });
const own = openai(null, null);
const ollama = { ...openai('http://localhost:11434/v1', null), path: '/v1' };

/** By the prefix of `litellm_params.model` (https://docs.litellm.ai/docs/providers). */
export const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: {
    ...openai('https://api.openai.com/v1', 'OPENAI_API_KEY'),
    fields: { max_tokens_field: 'max_completion_tokens' },
  },
  anthropic: { style: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', keyEnv: 'ANTHROPIC_API_KEY', path: '/v1' },
  // Azure's API without dated versions.
  azure: { ...openai(null, 'AZURE_API_KEY'), path: '/openai/v1' },
  cerebras: openai('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'),
  deepinfra: openai('https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY'),
  deepseek: openai('https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  fireworks_ai: openai('https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'),
  gemini: openai('https://generativelanguage.googleapis.com/v1beta/openai', 'GEMINI_API_KEY'),
  groq: openai('https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  mistral: openai('https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  nvidia_nim: openai('https://integrate.api.nvidia.com/v1', 'NVIDIA_NIM_API_KEY'),
  openrouter: openai('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  perplexity: openai('https://api.perplexity.ai', 'PERPLEXITYAI_API_KEY'),
  together_ai: openai('https://api.together.xyz/v1', 'TOGETHERAI_API_KEY'),
  xai: openai('https://api.x.ai/v1', 'XAI_API_KEY'),
  ollama,
  ollama_chat: ollama,
  hosted_vllm: own,
  litellm_proxy: own,
  lm_studio: own,
  custom_openai: own,
  openai_like: own,
};

/** The provider of a model that has no prefix, as LiteLLM guesses it. */
export const guessedProvider = (model: string): string => (/^claude-/.test(model) ? 'anthropic' : 'openai');
