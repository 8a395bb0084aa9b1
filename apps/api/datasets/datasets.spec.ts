import { startTestApi, type TestApi } from '#test/support/api.js';

describe('datasets', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const begin = async (body: object) => (await api.call('POST', '/felix/datasets/upload/url', body)).body;
  const put = (address: string, content: string, headers: Record<string, string> = {}) =>
    fetch(address, { method: 'PUT', body: content, headers });
  const process = (id: string) => api.call('POST', '/felix/datasets/upload/process', { dataset_id: id });

  test('upload/url gives an absolute address, the id and the number of a new version', async () => {
    const { status, body } = await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'first steps' });
    expect(status).toBe(200);
    expect(body).toEqual({
      presigned_url: expect.stringMatching(`^${api.url}/objects/`),
      upload_url: body.presigned_url,
      dataset_id: expect.any(String),
      dataset_name: 'first steps',
      version_number: '1',
      expires_in: 3600,
    });
    const again = await begin({ dataset_name: 'first steps' });
    expect(again.version_number).toBe('2');
    expect(again.dataset_id).not.toBe(body.dataset_id);
  });

  test('a version goes from initialized to uploading when its upload is sealed', async () => {
    const { dataset_id: id, presigned_url } = await begin({ dataset_name: 'sealed', filename: 'rows.jsonl' });
    const before = await api.call('GET', '/felix/datasets/sealed/1');
    expect(before.body).toMatchObject({ id, dataset_id: id, status: 'initialized', size: 0, format: null });

    expect((await put(presigned_url, '{"text":"a","entities":[]}')).status).toBe(200);
    const processed = await process(id);
    expect(processed.status).toBe(202);
    expect(processed.body).toMatchObject({ status: 'uploading', size: 26, version_number: '1', type: 'training' });
  });
});
