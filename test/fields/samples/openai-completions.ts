import type { Samples } from './samples.js';

export const COMPLETIONS_SAMPLES: Samples = {
  base: { prompt: 'Once' },
  bodies: {
    model: {},
    stream: { stream: true },
    'stream_options.include_usage': { stream: true, stream_options: { include_usage: true } },
    'stream_options.include_obfuscation': { stream: true, stream_options: { include_obfuscation: true } },
    'stream_options.*': { stream: true, stream_options: { strange: true } },
    prompt: { prompt: 'Twice' },
    suffix: { suffix: 'end' },
    echo: { echo: true },
    max_tokens: { max_tokens: 7 },
    temperature: { temperature: 0.5 },
    top_p: { top_p: 0.5 },
    stop: { stop: ['\n'] },
    seed: { seed: 7 },
    n: { n: 2 },
    best_of: { best_of: 3 },
    frequency_penalty: { frequency_penalty: 0.5 },
    presence_penalty: { presence_penalty: 0.5 },
    logit_bias: { logit_bias: { 5: 1 } },
    logprobs: { logprobs: 2 },
    user: { user: 'u-1' },
    '*': { strange: 1 },
  },
  named: { 'stream_options.*': 'stream_options', '*': 'strange' },
};
