import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const BASE = 'anneal/encoder-base-v1';
const TEXT = 'Ada flew from Lisbon to Berlin.';
const rowsOf = (more: object) => `${JSON.stringify({ text: TEXT, ...more })}\n`.repeat(12);
const STRUCTURES = { json_structures: [{ trip: { from: 'Lisbon', to: 'Berlin' } }] };
const RELATIONS = { relations: [{ flew_to: { head: 'Ada', tail: 'Berlin' } }] };
const ENTITIES = { entities: [['Ada', 'person']] };

const DATASETS: [string, object, string][] = [
  ['structures', STRUCTURES, 'json_structures'],
  ['relations', RELATIONS, 'relations'],
  ['entities and structures', { ...ENTITIES, ...STRUCTURES }, 'json_structures'],
  ['a label and relations', { label: 'travel', ...RELATIONS }, 'relations'],
  ['both', { ...ENTITIES, ...STRUCTURES, ...RELATIONS }, 'json_structures and relations'],
  ['lists of none', { ...ENTITIES, json_structures: [], relations: [] }, 'json_structures and relations'],
];

describe('heads that a base model lacks', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
    for (const [name, row] of DATASETS) {
      const body = { dataset_name: name, dataset_type: 'custom', filename: 'a.jsonl' };
      expect((await uploadDataset(api, body, rowsOf(row))).status).toBe('ready');
    }
    // The same rows before and after; only the first version has a head that the base lacks.
    for (const row of [RELATIONS, {}])
      await uploadDataset(api, { dataset_name: 'mended', filename: 'a.jsonl' }, rowsOf({ ...ENTITIES, ...row }));
  });
  afterAll(() => api.close());

  const train = (...datasets: object[]) => api.call('POST', '/felix/training-jobs', { base_model: BASE, datasets });
  const evaluate = (more: object) => api.call('POST', '/felix/evaluations', { base_model: BASE, ...more });

  it.each(DATASETS)('are found by the keys of the rows: the base is not evaluated on %s', async (name, _, keys) => {
    const { status, body } = await evaluate({ dataset_name: name });
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          loc: ['body', 'dataset_name'],
          msg: `names dataset "${name}", whose version 1 has rows with ${keys}, which ${BASE} does not find; upload the rows without ${keys}`,
          type: 'not_allowed',
        },
      ],
    ]);
    expect(body.detail).toMatch(/^dataset_name: names dataset/);
  });

  it('are checked in the requested version', async () => {
    expect((await evaluate({ dataset_name: 'mended', version_number: 1 })).status).toBe(422);
    expect((await evaluate({ dataset_name: 'mended' })).status).toBe(200);
  });

  it("do not matter if no row has them: the error names each route's dataset field", async () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ];
    const chats = `${JSON.stringify({ messages })}\n`;
    await uploadDataset(api, { dataset_name: 'chats', dataset_type: 'decoder', filename: 'a.jsonl' }, chats);
    expect((await evaluate({ dataset_name: 'chats' })).body.errors[0].loc).toEqual(['body', 'dataset_name']);
    expect((await train({ name: 'chats' })).body.errors[0].loc).toEqual(['body', 'datasets', 0, 'name']);
  });

  it('leave the dataset unclaimed', async () => {
    await evaluate({ dataset_name: 'both' });
    expect((await api.call('DELETE', '/felix/datasets/both')).status).toBe(200);
  });
});
