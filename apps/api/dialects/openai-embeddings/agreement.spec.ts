import fc from 'fast-check';
import { describeAgreement } from '#test/support/agreement.js';
import { decodeEmbeddings, MOST_INPUTS } from './decode.js';

const scalar = fc.constantFrom<unknown>('A cat', '', 0, 0.5, 1, 2, -1, 1.5, true, false, null, [], {}, [1, 2]);
const mostly = (...right: unknown[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: scalar });
const many = (count: number) => Array<string>(count).fill('a');

const body = fc.record(
  {
    model: mostly('anneal/embedder-base-v1', '__proto__'),
    input: fc.oneof(
      { weight: 3, arbitrary: mostly('A cat', '\ud800') },
      { weight: 4, arbitrary: fc.array(mostly('A cat', 'A dog'), { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>(many(MOST_INPUTS), many(MOST_INPUTS + 1), [[1], [2, 3]]) },
    ),
    encoding_format: mostly('float', 'base64', null),
    dimensions: mostly(1, 256, 65_536, 65_537, null),
    user: mostly('u-1', null),
    store: mostly(true, false, null),
    project_id: mostly('p-1', null),
    surprise: scalar,
  },
  { requiredKeys: ['model', 'input'] },
);

describeAgreement([{ title: 'by /v1/embeddings', schema: 'EmbeddingsBody', bodies: body, decode: decodeEmbeddings }]);
