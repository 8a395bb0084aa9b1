import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import { streamName } from '#domain/streams.js';
import { expectedAfter } from '#ports/event-store/port.js';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

describe('projects', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  it('are created, listed newest first and deleted', async () => {
    const first = await api.call('POST', '/projects', { name: 'support', description: 'mails' });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ name: 'support', description: 'mails' });
    const second = await api.call('POST', '/projects', { name: 'sales' });
    expect(second.body.description).toBeNull();

    const { body } = await api.call('GET', '/projects');
    expect(body).toMatchObject({ success: true, count: 2 });
    expect(body.projects).toMatchObject([{ name: 'sales' }, { name: 'support' }]);

    const gone = await api.call('DELETE', `/projects/${first.body.id}`);
    expect(gone.body.success).toBe(true);
    expect((await api.call('GET', '/projects')).body.count).toBe(1);
    expect((await api.call('DELETE', `/projects/${first.body.id}`)).status).toBe(404);
  });

  it('are listed by pages, and read one by one', async () => {
    const made: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      const { body } = await api.call('POST', '/projects', { name });
      made.unshift(body.id as string);
      expect((await api.call('GET', `/projects/${body.id}`)).body).toEqual(body);
    }
    const { body } = await api.call('GET', '/projects?limit=2&offset=1');
    expect(body.projects.map(({ id }: { id: string }) => id)).toEqual(made.slice(1, 3));
    expect([body.count, body.total]).toEqual([2, 4]);
    for (const [query, status] of [
      ['limit=0', 422],
      ['limit=10001', 422],
      ['limit=x', 400],
      ['offset=-1', 422],
    ] as const)
      expect([query, (await api.call('GET', `/projects?${query}`)).status]).toEqual([query, status]);
  });

  it('may share a name', async () => {
    const [one, two] = [
      await api.call('POST', '/projects', { name: 'same' }),
      await api.call('POST', '/projects', { name: 'same' }),
    ];
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.body.id).not.toBe(two.body.id);
  });

  it('stay named in resources filed under them after deletion, and accept no new ones', async () => {
    const { id } = (await api.call('POST', '/projects', { name: 'brief' })).body as { id: string };
    const upload = (dataset_name: string) =>
      api.call('POST', '/felix/datasets/upload/url', { dataset_name, project_id: id });
    expect((await upload('filed')).status).toBe(200);
    expect((await api.call('GET', `/felix/datasets?project_id=${id}`)).body.count).toBe(1);
    await api.call('DELETE', `/projects/${id}`);
    expect((await api.call('GET', '/felix/datasets/filed/1')).body.project_id).toBe(id);
    expect((await upload('later')).status).toBe(404);
    for (const path of ['/felix/datasets', '/felix/training-jobs', '/felix/evaluations', '/inferences'])
      expect([path, (await api.call('GET', `${path}?project_id=${id}`)).status]).toEqual([path, 404]);
  });

  it('of a colleague are not found', async () => {
    const headers = { 'x-api-key': (await api.colleague()).key };
    const { id } = (await api.call('POST', '/projects', { name: 'mine' })).body as { id: string };
    expect((await api.call('GET', '/projects', undefined, headers)).body.count).toBe(0);
    for (const method of ['GET', 'DELETE'])
      expect((await api.call(method, `/projects/${id}`, undefined, headers)).status).toBe(404);
  });

  it('are 404 by an unknown id of any form', async () => {
    for (const id of ['0190f3c4-0000-7000-8000-000000000000', 'x', '%zz', 'a'.repeat(300)]) {
      const { status, body } = await api.call('DELETE', `/projects/${id}`);
      expect([id, status]).toEqual([id, 404]);
      expect(typeof body.detail).toBe('string');
    }
  });

  it.each([
    [{}, 'missing'],
    [{ name: '' }, 'out_of_range'],
    [{ name: '   ' }, 'out_of_range'],
    [{ name: '  \n' }, 'invalid'],
    [{ name: 5 }, 'wrong_type'],
    [{ name: 'x'.repeat(101) }, 'out_of_range'],
    [{ name: 'x', description: 7 }, 'wrong_type'],
  ])('%j is 422 and names the field', async (body, type) => {
    const answer = await api.call('POST', '/projects', body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0]).toMatchObject({ type });
    expect(answer.body.errors[0].loc[0]).toBe('body');
  });

  it("that a newer release has changed are 503 to commands, with the event's name and Retry-After", async () => {
    const { id } = (await api.call('POST', '/projects', { name: 'moved' })).body as { id: string };
    const [stream, moved] = [streamName('project', id), { type: 'project-moved.v1', data: { projectId: id } }];
    const event = envelope(stream, moved, 0, systemContext('test', null));
    await api.application.ports.eventStore.append(stream, expectedAfter(0), [event]);
    const { status, headers, body } = await api.call('DELETE', `/projects/${id}`);
    expect([status, headers.get('retry-after')]).toEqual([503, '10']);
    expect(body.detail).toMatch(/^a newer release has written project-moved.v1 here/);
  });
});
