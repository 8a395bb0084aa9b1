import { startTestApi, type TestApi } from '#test/support/api.js';

describe('Idempotency-Key', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const post = (key: string, body: unknown, headers: Record<string, string> = { 'x-api-key': api.key }) =>
    api.call('POST', '/projects', body, { ...headers, 'idempotency-key': key });
  const projects = async () => (await api.call('GET', '/projects')).body.projects as { name: string }[];

  test('the same request again does nothing new and gets the same answer', async () => {
    const first = await post('again', { name: 'once', description: null });
    const second = await post('again', { description: null, name: 'once' });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect((await projects()).filter(({ name }) => name === 'once')).toHaveLength(1);
  });

  test('another request with the key is 422', async () => {
    await post('other', { name: 'a' });
    const { status, body } = await post('other', { name: 'b' });
    expect(status).toBe(422);
    expect(body.errors[0].loc).toEqual(['header', 'Idempotency-Key']);
  });

  test('a refused request leaves the key free', async () => {
    expect((await post('free', { name: '' })).status).toBe(422);
    expect((await post('free', { name: 'right' })).status).toBe(200);
  });
});
