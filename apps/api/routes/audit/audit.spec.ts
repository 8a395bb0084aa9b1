import { openCheckpoint, parseVerifier } from '#audit/checkpoint.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';

describe('GET /audit', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const get = (path: string) => api.call('GET', path, undefined, {});

  it('returns the signed checkpoint, and the public key that verifies it, without authentication', async () => {
    await eventually(async () => (await get('/audit/checkpoint')).status === 200);
    const { body: note, headers } = await get('/audit/checkpoint');
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    const { body: keys } = await get('/audit/key');
    const [key = ''] = (keys as string).split('\n');
    const { origin, size } = openCheckpoint(note as string, [parseVerifier(key)]);
    expect([origin, key.startsWith(`${origin}+`), size > 0]).toEqual([expect.stringMatching(/^anneal\//), true, true]);
  });

  it('lists no model signing key before an archive is signed', async () => {
    const { status, body } = await get('/audit/model-keys');
    expect([status, body]).toEqual([200, '']);
  });
});
