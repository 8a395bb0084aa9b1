import type { DialectFields } from './field.js';

/** Fields of `POST /v1/completions`, which providers of Anthropic's style and encoders do not answer. */
export const OPENAI_COMPLETIONS: DialectFields = {
  name: 'Completions',
  path: '/v1/completions',
  backends: ['openai', 'decoder'],
  beyondSdk: ['stream_options.*', '*'],
  fields: {
    model: ['here', 'here'],
    stream: ['sent', 'here'],
    'stream_options.include_usage': ['sent', 'here'],
    'stream_options.include_obfuscation': ['dropped', 'dropped'],
    'stream_options.*': ['sent', 'dropped'],
    prompt: ['sent', 'sent'],
    suffix: ['sent', 'refused'],
    echo: ['sent', 'refused'],
    max_tokens: ['sent', 'sent'],
    temperature: ['sent', 'sent'],
    top_p: ['sent', 'sent'],
    stop: ['sent', 'sent'],
    seed: ['sent', 'sent'],
    n: ['sent', 'sent'],
    best_of: ['sent', 'refused'],
    frequency_penalty: ['sent', 'sent'],
    presence_penalty: ['sent', 'sent'],
    logit_bias: ['sent', 'refused'],
    logprobs: ['sent', 'sent'],
    user: ['sent', 'unused'],
    '*': ['sent', 'refused'],
  },
};
