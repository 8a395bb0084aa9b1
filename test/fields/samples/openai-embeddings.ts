import type { Samples } from './samples.js';

export const EMBEDDINGS_SAMPLES: Samples = {
  base: { input: 'Hello' },
  bodies: {
    model: {},
    store: { store: true },
    input: { input: ['Hi there'] },
    dimensions: { dimensions: 2 },
    encoding_format: { encoding_format: 'base64' },
    user: { user: 'u-1' },
    '*': { strange: 1 },
  },
  named: { '*': 'strange' },
};
