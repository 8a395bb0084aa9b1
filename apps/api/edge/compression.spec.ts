import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

describe('an answer to a page of this site', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
    for (let at = 0; at < 20; at += 1) await api.call('POST', '/projects', { name: `project ${at}` });
  });
  afterAll(() => api.close());

  const PAGE = { 'sec-fetch-site': 'same-origin', 'accept-encoding': 'gzip, deflate, br, zstd' };
  const get = (path: string, headers: Record<string, string>) =>
    api.call('GET', path, undefined, { authorization: `Bearer ${api.session}`, ...headers });

  it('is compressed, is the same, and has an ETag of its own with which it is 304', async () => {
    const [plain, answer] = [await get('/projects?limit=50', {}), await get('/projects?limit=50', PAGE)];
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.body).toEqual(plain.body);
    expect(answer.headers.get('etag')).toBe(`W/${plain.headers.get('etag')}`);
    expect(answer.headers.get('vary')).toMatch(/Cookie.*Accept-Encoding/);
    const again = await get('/projects?limit=50', { ...PAGE, 'if-none-match': answer.headers.get('etag')! });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sister site', { 'sec-fetch-site': 'same-site' }],
    ['a client that does not take br', { 'accept-encoding': 'gzip' }],
    ['a client that refuses br', { 'accept-encoding': 'gzip, br;q=0' }],
  ])('is not compressed for %s', async (_, headers) => {
    const answer = await get('/projects?limit=50', { ...PAGE, ...headers });
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, null]);
  });

  it('is not compressed where it is short, or an error', async () => {
    expect((await get('/workspace', PAGE)).headers.get('content-encoding')).toBeNull();
    expect((await get(`/models/${'a'.repeat(60)}`, PAGE)).headers.get('content-encoding')).toBeNull();
  });
});
