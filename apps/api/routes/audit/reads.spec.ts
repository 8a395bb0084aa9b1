import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const MODEL = 'anneal/encoder-base-v1';
interface Read {
  readonly actor: string;
  readonly resource: string;
  readonly route: string;
  readonly count: number;
}

describe('GET /audit/reads', () => {
  let api: TestApi;
  beforeAll(async () => (api = await sharedTestApi()));
  afterAll(() => api.close());

  const listed = async (query: string, headers?: Record<string, string>) => {
    const { status, body } = await api.call('GET', `/audit/reads?${query}`, undefined, headers);
    expect(status).toBe(200);
    return body as { readonly reads: readonly Read[]; readonly next_cursor: string | null };
  };
  /** Reads that a query selects, once there are as many requests. */
  const until = async (query: string, requests: number) =>
    (
      await api.until(
        () => listed(query),
        ({ reads }) => reads.reduce((sum, { count }) => sum + count, 0) >= requests,
      )
    ).reads;
  const recorded = async () => {
    const { body } = await api.call('POST', '/inference', { model_id: MODEL, text: 'Ada in Lyon', schema: ['city'] });
    await api.drained();
    return body.inference_id as string;
  };

  it('lists who read the record of a call, by key or by session, and on which route', async () => {
    const id = await recorded();
    await api.call('GET', `/inferences/${id}`);
    await api.call('GET', `/inferences/${id}`, undefined, { authorization: `Bearer ${api.session}` });
    await api.call('GET', `/v1/responses/resp_${id}`);
    const reads = await until(`resource=call/${id}`, 2);
    expect(reads.map(({ actor }) => actor.replace(/:.*/, '')).toSorted()).toEqual(['key', 'user']);
    for (const read of reads)
      expect(read).toMatchObject({
        ...{ resource: `call/${id}`, route: 'GET /inferences/:id', count: 1, from: expect.any(String) },
        event: { stream: expect.stringMatching(/^access-/), revision: expect.any(Number) },
      });
    const user = reads.find(({ actor }) => actor.startsWith('user:'))!;
    expect((await listed(`resource=call/${id}&actor=${user.actor}`)).reads).toEqual([user]);
    expect((await listed(`resource=call/${id}&until=2001-01-01`)).reads).toEqual([]);
    expect((await listed(`resource=call/${id}&since=2001-01-01`)).reads).toEqual(reads);
  });

  it('lists reads of lists, exports, events and datasets, but no refused or unchanged answer', async () => {
    const id = await recorded();
    const { headers } = await api.call('GET', '/inferences');
    const unchanged = { 'x-api-key': api.key, 'if-none-match': headers.get('etag')! };
    expect((await api.call('GET', '/inferences', undefined, unchanged)).status).toBe(304);
    await api.call('GET', '/inferences/export?format=csv');
    await api.call('GET', '/inferences/nowhere');
    await fetch(`${api.url}/inferences/${id}`, { method: 'HEAD', headers: { 'x-api-key': api.key } });
    await api.call('GET', '/events?stream=dataset-none');
    const lists = await until('resource=calls', 2);
    expect(Object.fromEntries(lists.map(({ route, count }) => [route, count]))).toEqual({
      'GET /inferences': 1,
      'GET /inferences/export': 1,
    });
    for (const resource of ['call/nowhere', `call/${id}`, 'events/dataset-none'])
      expect((await listed(`resource=${resource}`)).reads).toEqual([]);
  });

  it('pages through every read once', async () => {
    const ids = [await recorded(), await recorded(), await recorded()];
    for (const id of ids) await api.call('GET', `/inferences/${id}/feedback`);
    for (const id of ids) await api.call('GET', `/inferences/${id}`);
    for (const id of ids) await until(`resource=call/${id}`, 1);
    const { reads: all } = await listed('');
    const paged: Read[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof listed>> = await listed(`limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.reads.length).toBeLessThanOrEqual(2);
      paged.push(...page.reads);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all);
  });

  it('shows no reads of another workspace, and refuses an invalid cursor', async () => {
    const id = await recorded();
    await api.call('GET', `/inferences/${id}`);
    await until(`resource=call/${id}`, 1);
    const { key } = await api.colleague();
    expect((await listed('', { 'x-api-key': key })).reads).toEqual([]);
    expect((await api.call('GET', '/audit/reads?cursor=first')).body.detail).toBe(
      'cursor: must be a next_cursor of this list',
    );
  });
});
