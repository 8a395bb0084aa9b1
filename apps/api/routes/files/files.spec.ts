import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { trips } from '#test/support/trips.js';

const MAX = 64 * 1024;

describe('files of the OpenAI API', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ uploadMaxBytes: MAX });
  });
  afterAll(() => api.close());

  const send = async (form: FormData, key = api.key) => {
    const response = await fetch(`${api.url}/v1/files`, { method: 'POST', headers: { 'x-api-key': key }, body: form });
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };
  const formOf = (fields: Readonly<Record<string, string | Blob>>, name = 'rows.jsonl') => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields))
      if (typeof value === 'string') form.append(field, value);
      else form.append(field, value, name);
    return form;
  };
  const upload = async (content: string, purpose = 'fine-tune') => {
    const { status, body } = await send(formOf({ file: new Blob([content]), purpose }));
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body as unknown as { id: string; bytes: number };
  };
  const processed = async (id: string) =>
    (
      await api.until(
        () => api.call('GET', `/v1/files/${id}`),
        ({ body }) => body.status !== 'uploaded',
      )
    ).body;
  const withKey = (key: string) => ({ 'x-api-key': key });

  it('become dataset versions with the same id and the type of their rows', async () => {
    const types = ['{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}', trips(3)];
    for (const [index, content] of [...types, '{"text":"good","label":"praise"}\n'].entries()) {
      const { id, bytes } = await upload(content);
      expect(bytes).toBe(content.length);
      expect(await processed(id)).toMatchObject({ object: 'file', status: 'processed', filename: 'rows.jsonl' });
      const dataset = await api.call('GET', `/felix/datasets/${id}/1`);
      expect(dataset.body).toMatchObject({
        id: id.slice('file-'.length),
        dataset_type: ['decoder', 'ner', 'classification'][index],
        status: 'ready',
      });
    }
  });

  it('include versions that were uploaded through other routes', async () => {
    const { id } = await uploadDataset(api, { dataset_name: 'native', filename: 'trips.jsonl' }, trips(2));
    const { body } = await api.call('GET', `/v1/files/file-${id}`);
    expect(body).toMatchObject({
      id: `file-${id}`,
      purpose: 'fine-tune',
      status: 'processed',
      filename: 'trips.jsonl',
    });
  });

  it('are downloaded byte by byte as uploaded', async () => {
    const content = '{"messages": [ {"role":"user","content":"hi"},  {"role":"assistant","content":"ho"} ]}\r\n';
    const { id } = await upload(content);
    const answer = await api.call('GET', `/v1/files/${id}/content`);
    expect([answer.status, answer.body]).toEqual([200, content]);
    expect(answer.headers.get('content-disposition')).toContain('rows.jsonl');
  });

  it('report the row that is wrong, once', async () => {
    const { id } = await upload('{"messages":[{"role":"robot","content":"hi"}]}\n');
    expect(await processed(id)).toMatchObject({
      status: 'error',
      status_details: expect.stringMatching(/^row 1: mess(?!.*row 1)/),
    });
  });

  it('are listed by page, order and purpose', async () => {
    const ids = [
      await upload('{"a":1}\n', 'batch'),
      await upload('{"a":2}\n', 'batch'),
      await upload('{"a":3}\n', 'batch'),
    ].map(({ id }) => id);
    await api.drained();
    const list = async (query: string) => (await api.call('GET', `/v1/files?purpose=batch${query}`)).body;
    const first = await list('&limit=2&order=asc');
    expect(first).toMatchObject({ object: 'list', has_more: true, first_id: ids[0], last_id: ids[1] });
    const second = await list(`&limit=2&order=asc&after=${ids[1]}`);
    expect([second.data.map(({ id }: { id: string }) => id), second.has_more]).toEqual([[ids[2]], false]);
    expect((await list('&limit=1')).data[0].id).toBe(ids[2]);
    const others = (await api.call('GET', '/v1/files?purpose=fine-tune')).body.data as readonly { purpose: string }[];
    expect(new Set(others.map(({ purpose }) => purpose))).toEqual(new Set(['fine-tune']));
  });

  it('are 404 after their deletion', async () => {
    const { id } = await upload(trips(1));
    const { body } = await api.call('DELETE', `/v1/files/${id}`);
    expect(body).toEqual({ id, object: 'file', deleted: true });
    for (const path of [`/v1/files/${id}`, `/v1/files/${id}/content`, '/v1/files/file-1', '/v1/files/x'])
      expect([path, (await api.call('GET', path)).status]).toEqual([path, 404]);
  });

  const file = new Blob(['{"text":"a","label":"b"}']);
  it.each([
    ['without a purpose', formOf({ file }), 422, 'purpose'],
    ['for an unknown purpose', formOf({ file, purpose: 'assistants' }), 422, 'purpose'],
    ['without a file', formOf({ purpose: 'fine-tune' }), 422, 'file'],
    ['with a text in place of the file', formOf({ file: 'text', purpose: 'fine-tune' }), 422, 'file'],
    [
      'with a field of another kind',
      formOf({ file, purpose: 'batch', 'expires_after[seconds]': '3600' }),
      422,
      'expires_after',
    ],
    ['of a nameless file', formOf({ file, purpose: 'batch' }, ''), 422, 'file'],
    ['of too many bytes', formOf({ file: new Blob(['x'.repeat(MAX + 1)]), purpose: 'batch' }), 413, null],
  ])('%s are refused by name, and nothing is stored', async (_, form, status, param) => {
    const other = await api.colleague();
    const { status: refused, body } = await send(form, other.key);
    const { error } = body as unknown as { error: { param: string | null } };
    expect([refused, error.param]).toEqual([status, param === null ? null : expect.stringContaining(param)]);
    await api.drained();
    expect((await api.call('GET', '/v1/files', undefined, withKey(other.key))).body.data).toEqual([]);
  });

  it('are 415 if compressed', async () => {
    const headers = {
      'x-api-key': api.key,
      'content-encoding': 'gzip',
      'content-type': 'multipart/form-data; boundary=x',
    };
    expect((await api.call('POST', '/v1/files', '--x--', headers)).status).toBe(415);
  });

  it('are 400 if the body is not a form', async () => {
    for (const body of ['{}', 'x'])
      expect((await api.call('POST', '/v1/files', body)).body.error.message).toContain('multipart/form-data');
  });
});
