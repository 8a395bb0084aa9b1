import { startTestApi, type TestApi } from '#test/support/api.js';

describe('projects', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  test('are created, listed newest first and deleted', async () => {
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

  test("a colleague's are not there", async () => {
    const headers = { 'x-api-key': (await api.colleague()).key };
    const { id } = (await api.call('POST', '/projects', { name: 'mine' })).body as { id: string };
    expect((await api.call('GET', '/projects', undefined, headers)).body.count).toBe(0);
    expect((await api.call('DELETE', `/projects/${id}`, undefined, headers)).status).toBe(404);
  });

  test('an unknown id, whatever it looks like, is 404', async () => {
    for (const id of ['0190f3c4-0000-7000-8000-000000000000', 'x', '%zz', 'a'.repeat(300)]) {
      const { status, body } = await api.call('DELETE', `/projects/${id}`);
      expect([id, status]).toEqual([id, 404]);
      expect(typeof body.detail).toBe('string');
    }
  });

  test.each([
    [{}, 'missing'],
    [{ name: '' }, 'out_of_range'],
    [{ name: 5 }, 'wrong_type'],
    [{ name: 'x'.repeat(101) }, 'out_of_range'],
    [{ name: 'x', description: 7 }, 'wrong_type'],
  ])('%j is 422 and names the field', async (body, type) => {
    const answer = await api.call('POST', '/projects', body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0]).toMatchObject({ type });
    expect(answer.body.errors[0].loc[0]).toBe('body');
  });
});
