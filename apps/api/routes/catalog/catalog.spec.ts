import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

describe('catalog', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);

  it('lists the built-in encoder with its capabilities, and no aliases', async () => {
    const { body } = await api.call('GET', '/base-models');
    expect(ids(body.models)).toContain('anneal/encoder-base-v1');
    expect(ids(body.models).filter((id) => id.startsWith('fastino/'))).toEqual([]);
    expect(body.models[0]).toMatchObject({
      task_type: 'encoder',
      input_price_per_million: 0.15,
      cache_read_price_per_million: 0.15,
      supports_inference: true,
      supports_training: true,
    });
  });

  it('filters its models', async () => {
    const filtered = async (query: string) => (await api.call('GET', `/base-models?${query}`)).body.models as unknown[];
    expect(await filtered('supports_training=true&task_type=encoder')).not.toEqual([]);
    expect(await filtered('supports_inference=false&task_type=encoder')).toEqual([]);
  });

  it.each(['supports_training=maybe', 'task_type=poet', 'task_type=encoder&task_type=decoder'])(
    'the filter %s is 400',
    async (query) => {
      const { status, body } = await api.call('GET', `/base-models?${query}`);
      expect([status, typeof body.detail]).toEqual([400, 'string']);
    },
  );

  it('serves both SDK families in one list', async () => {
    for (const path of ['/v1/models', '/v1/v1/models']) {
      const { body } = await api.call('GET', path);
      expect(body).toMatchObject({ object: 'list', has_more: false, first_id: 'anneal/encoder-base-v1' });
      expect(body.data[0]).toEqual({
        id: 'anneal/encoder-base-v1',
        object: 'model',
        type: 'model',
        created: expect.any(Number),
        created_at: expect.stringMatching(/^\d{4}-\d\d-01T/),
        owned_by: 'anneal',
        display_name: expect.any(String),
        ...{ lifecycle: 'active', max_input_tokens: 50_000, max_tokens: null, capabilities: null },
        ...{ line: null, deprecated_at: null, retires_at: null },
      });
    }
  });

  it.each([
    ['limit=0', 422],
    ['limit=1001', 422],
    ['limit=many', 400],
    ['before_id=anneal/encoder-base-v1&after_id=anneal/encoder-base-v1', 400],
    ['after_id=nothing', 400],
    ['after_id=anneal/encoder-base-v1&limit=1', 200],
    ['before_id=anneal/encoder-base-v1', 200],
  ])('answers the page %s with %i', async (query, status) => {
    expect((await api.call('GET', `/v1/models?${query}`)).status).toBe(status);
  });

  it('finds a model by alias, and by id with its slash plain or as %2F', async () => {
    for (const id of ['anneal/encoder-base-v1', 'anneal%2Fencoder-base-v1', 'fastino%2Fgliner2-base-v1']) {
      const { status, body } = await api.call('GET', `/v1/models/${id}`);
      expect([id, status, body.id]).toEqual([id, 200, 'anneal/encoder-base-v1']);
    }
  });

  it('an unknown model is 404', async () => {
    for (const id of ['nothing', 'a/b/c', '0190f3c4-0000-7000-8000-000000000000', '%2F'])
      expect([id, (await api.call('GET', `/v1/models/${id}`)).status]).toEqual([id, 404]);
  });
});
