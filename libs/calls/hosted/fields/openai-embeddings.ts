import type { DialectFields } from './field.js';

/** Fields of `POST /v1/embeddings`. */
export const OPENAI_EMBEDDINGS: DialectFields = {
  name: 'Embeddings',
  path: '/v1/embeddings',
  backends: ['openai', 'embedder'],
  beyondSdk: ['store', '*'],
  fields: {
    model: ['here', 'here'],
    store: ['here', 'here'],
    input: ['sent', 'sent'],
    dimensions: ['sent', 'sent'],
    encoding_format: ['sent', 'here'],
    user: ['sent', 'unused'],
    '*': ['sent', 'unused'],
  },
};
