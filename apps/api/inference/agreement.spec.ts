import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { startTestApi } from '#test/support/api.js';
import { decodeNativeRequest } from './native/decode.js';

/** Values that are right in some place and wrong in others, so that bodies are valid, almost valid, and nonsense. */
const scalar = fc.constantFrom<unknown>('city', '', 0, 0.5, 1, 2, -1, 1.5, true, false, [], {}, 'str', 'list');
/** Mostly one of the values that are right there. */
const mostly = (...right: unknown[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: scalar });
const label = mostly('person', 'city', '__proto__');
const flag = mostly(true, false);
const share = mostly(0, 0.5, 1);
const entity = fc.oneof(
  { weight: 5, arbitrary: label },
  {
    weight: 3,
    arbitrary: fc.record(
      { name: label, threshold: share, dtype: mostly('str', 'list'), description: label },
      { requiredKeys: ['name'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ threshold: share }) },
);
const task = fc.record(
  { task: mostly('mood', 'topic'), labels: fc.array(label, { maxLength: 3 }), multi_label: flag, top_k: mostly(1, 2) },
  { requiredKeys: ['task'] },
);
const entities = fc.oneof(
  fc.array(entity, { maxLength: 3 }),
  fc.dictionary(fc.constant('city'), label, { minKeys: 1 }),
);
const schema = fc.oneof(
  fc.array(entity, { maxLength: 3 }),
  fc.record({ entities, classifications: fc.array(task, { maxLength: 1 }) }, { requiredKeys: ['entities'] }),
  scalar.filter((value) => JSON.stringify(value) !== '{}'),
);
const text = mostly('Maria', '', ['a', 'b'], ['a', 1]);
const body = fc.record(
  {
    model_id: label,
    text,
    schema,
    threshold: share,
    store: flag,
    include_spans: flag,
    include_confidence: flag,
    project_id: label,
    surprise: scalar,
  },
  { requiredKeys: ['model_id', 'text'] },
);

test('the document describes exactly what the native decoder takes', async () => {
  const api = await startTestApi();
  const { body: document } = await api.call('GET', '/openapi.json');
  await api.close();
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ $id: 'doc', components: document.components });
  const documented = ajv.compile({ $ref: 'doc#/components/schemas/EncoderInferenceBody' });
  const decoded = (value: unknown) => {
    try {
      decodeNativeRequest(value);
      return true;
    } catch {
      return false;
    }
  };
  let taken = 0;
  fc.assert(
    fc.property(body, (value) => {
      const valid = decoded(value);
      if (valid) taken += 1;
      expect([JSON.stringify(value), documented(value)]).toEqual([JSON.stringify(value), valid]);
    }),
    { numRuns: 3_000 },
  );
  expect(taken).toBeGreaterThan(300);
});
