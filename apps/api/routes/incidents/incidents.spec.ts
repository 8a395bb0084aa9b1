import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

describe('an incident', () => {
  let api: TestApi;
  beforeAll(async () => (api = await sharedTestApi()));
  afterAll(() => api.close());

  const open = (body: object) =>
    api.call('POST', '/incidents', { title: 'Wrong routing', severity: 'high', description: 'To sales.', ...body });

  it('is opened, updated, closed and listed, and the log says who did it', async () => {
    const { status, body: opened } = await open({ model: 'tickets', version: 2, calls: ['c1'] });
    expect([status, opened]).toMatchObject([
      200,
      { status: 'open', title: 'Wrong routing', severity: 'high', model: 'tickets', version: 2, calls: ['c1'] },
    ]);
    expect(opened).toMatchObject({ description: 'To sales.', notes: [], resolution: null, closed_at: null });
    const update = { severity: 'serious', note: 'two customers', calls: ['c1', 'c2'] };
    const { body: updated } = await api.call('PATCH', `/incidents/${opened.id}`, update);
    expect(updated).toMatchObject({ severity: 'serious', calls: ['c1', 'c2'], notes: [{ note: 'two customers' }] });
    expect((await api.call('GET', '/incidents?status=open')).body.incidents).toEqual([updated]);
    const { body: closed } = await api.call('POST', `/incidents/${opened.id}/close`, { resolution: 'rolled back' });
    expect(closed).toMatchObject({ status: 'closed', resolution: 'rolled back', closed_at: closed.updated_at });
    expect(closed.opened_at < closed.closed_at).toBe(true);
    expect((await api.call('GET', '/incidents?status=open')).body.incidents).toEqual([]);
    expect((await api.call('GET', '/incidents')).body.incidents).toEqual([closed]);
    const { workspace_id: workspace } = (await api.call('GET', '/account')).body;
    const { events } = (await api.call('GET', `/events?stream=incident-${workspace}`)).body;
    expect(events.map(({ type, actor }: Record<string, string>) => [type, actor?.split(':')[0]])).toEqual([
      ['incident-opened.v1', 'key'],
      ['incident-updated.v1', 'key'],
      ['incident-closed.v1', 'key'],
    ]);
  });

  it('is refused with the field that is wrong, or once it is closed', async () => {
    for (const [field, body] of [
      ['title', { title: '' }],
      ['severity', { severity: 'huge' }],
      ['description', { description: 'x'.repeat(5_001) }],
      ['model', { model: 'x'.repeat(201) }],
      ['version', { version: 1 }],
      ['calls', { calls: Array.from({ length: 101 }, () => 'c') }],
    ] as const) {
      const refused = await open(body);
      expect([field, refused.status, refused.body.detail]).toEqual([field, 422, expect.stringContaining(field)]);
    }
    const { id } = (await open({})).body;
    for (const [field, body] of [
      ['title', { title: '' }],
      ['severity', { severity: 'huge' }],
      ['model', { model: '' }],
      ['version', { version: 0 }],
      ['calls', { calls: 'c' }],
      ['note', { note: '' }],
    ] as const) {
      const refused = await api.call('PATCH', `/incidents/${id}`, body);
      expect([field, refused.status, refused.body.detail]).toEqual([field, 422, expect.stringContaining(field)]);
    }
    expect((await api.call('POST', `/incidents/${id}/close`, { resolution: '' })).status).toBe(422);
    await api.call('POST', `/incidents/${id}/close`, { resolution: 'over' });
    expect((await api.call('PATCH', `/incidents/${id}`, { severity: 'low' })).status).toBe(409);
    expect((await api.call('GET', '/incidents?status=lost')).status).toBe(400);
  });

  it('of another workspace is 404, and is not listed', async () => {
    const { id } = (await open({})).body;
    const { key } = await api.colleague();
    const as = { 'x-api-key': key };
    expect((await api.call('GET', '/incidents', undefined, as)).body.incidents).toEqual([]);
    expect((await api.call('PATCH', `/incidents/${id}`, { note: 'n' }, as)).status).toBe(404);
    expect((await api.call('POST', `/incidents/${id}/close`, { resolution: 'r' }, as)).status).toBe(404);
  });
});
