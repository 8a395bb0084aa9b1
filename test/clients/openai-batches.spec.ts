import OpenAI, { toFile } from 'openai';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const ENCODER = 'anneal/encoder-base-v1';
const EMBEDDER = 'anneal/embedder-base-v1';
const CHAT = '/v1/chat/completions';

describe('openai, batches', () => {
  let api: TestApi;
  let client: OpenAI;
  beforeAll(async () => {
    api = await sharedTestApi();
    client = new OpenAI({ baseURL: `${api.url}/v1`, apiKey: api.key, maxRetries: 0 });
  });
  afterAll(() => api.close());

  const chat = (custom_id: string, text: string, more: object = {}) => ({
    ...{ custom_id, method: 'POST', url: CHAT },
    body: { model: ENCODER, messages: [{ role: 'user', content: text }], schema: ['person', 'city'], ...more },
  });
  const upload = async (requests: readonly object[]) => {
    const content = requests.map((request) => JSON.stringify(request)).join('\n');
    return client.files.create({ file: await toFile(Buffer.from(content), 'requests.jsonl'), purpose: 'batch' });
  };
  const create = async (requests: readonly object[], endpoint: OpenAI.BatchCreateParams['endpoint'] = CHAT) => {
    const { id } = await upload(requests);
    const metadata = { team: 'travel' };
    return client.batches.create({ input_file_id: id, endpoint, completion_window: '24h', metadata });
  };
  const ended = (id: string) =>
    api.until(
      () => client.batches.retrieve(id),
      ({ status }) => ['completed', 'failed', 'cancelled', 'expired'].includes(status),
    );
  const linesOf = async (fileId: string) => {
    const text = await (await client.files.content(fileId)).text();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { custom_id: string; response: { status_code: number; body: never } });
  };

  it('answers, records and prices the requests of a file like calls of the route', async () => {
    const requests = Array.from({ length: 10 }, (_, row) => chat(`r${row}`, `Ada ${row} flew to Paris`));
    const begun = await create([...requests, chat('bad', 'Hi', { model: 'acme/none' })]);
    expect(begun).toMatchObject({
      ...{ object: 'batch', endpoint: CHAT, status: 'in_progress', completion_window: '24h' },
      ...{ output_file_id: null, request_counts: { total: 11 }, metadata: { team: 'travel' } },
    });
    const batch = await ended(begun.id);
    expect(batch).toMatchObject({ status: 'completed', errors: null });
    expect(batch.request_counts).toEqual({ total: 11, completed: 10, failed: 1 });
    const output = await linesOf(batch.output_file_id!);
    expect(output.map(({ custom_id }) => custom_id).toSorted()).toEqual(requests.map((each) => each.custom_id));
    const [first] = output.map(({ response }) => response.body as OpenAI.ChatCompletion);
    expect(JSON.parse(first!.choices[0]!.message.content!)).toHaveProperty('entities');
    expect(await linesOf(batch.error_file_id!)).toMatchObject([
      { custom_id: 'bad', response: { status_code: 404, body: { error: { code: 'model_not_found' } } } },
    ]);
    const file = await client.files.retrieve(batch.output_file_id!);
    expect(file).toMatchObject({ purpose: 'batch_output', filename: `${batch.id}_output.jsonl` });
    await api.drained();
    const { inferences } = (await api.call('GET', '/inferences')).body;
    expect(inferences.filter(({ model_id }: { model_id: string }) => model_id === ENCODER)).toHaveLength(10);
  });

  it('embeds texts', async () => {
    const request = { custom_id: 'e', method: 'POST', url: '/v1/embeddings', body: { model: EMBEDDER, input: 'Hi' } };
    const batch = await ended((await create([request], '/v1/embeddings')).id);
    const [line] = await linesOf(batch.output_file_id!);
    expect((line!.response.body as OpenAI.CreateEmbeddingResponse).data[0]!.embedding.length).toBeGreaterThan(10);
  });

  it('lists batches page by page, and refuses to cancel ended ones', async () => {
    const [one, two] = [await create([chat('a', 'Hi')]), await create([chat('a', 'Hi')])];
    await Promise.all([ended(one.id), ended(two.id)]);
    const ids = await Array.fromAsync(client.batches.list({ limit: 1 }), ({ id }) => id);
    expect(ids.slice(0, 2)).toEqual([two.id, one.id]);
    await expect(client.batches.cancel(one.id)).rejects.toThrow(/only one in progress/);
  });

  it.each([
    ['a custom_id that is there twice', [chat('a', 'x'), chat('a', 'y')], /line 2: custom_id is that of line 1;/],
    ['a request for another route', [{ ...chat('a', 'x'), url: '/v1/embeddings' }], /line 1: url must be/],
    ['a stream', [chat('a', 'x', { stream: true })], /line 1: body.stream must be left out/],
    ['another method', [{ ...chat('a', 'x'), method: 'GET' }], /line 1: method must be POST/],
    ['no model', [{ ...chat('a', 'x'), body: {} }], /line 1: body.model is required/],
    ['no requests', [], /the file has no requests/],
  ])('gets a file with %s refused by name', async (_, requests, message) => {
    await expect(create(requests)).rejects.toThrow(message);
  });

  it.each([
    [{ endpoint: '/v1/moderations' }, 'endpoint'],
    [{ completion_window: '1h' }, 'completion_window'],
    [{ output_expires_after: { anchor: 'created_at', seconds: 3600 } }, 'output_expires_after'],
    [{ metadata: { a: 5 } }, 'metadata.a'],
    [{ input_file_id: 5 }, 'input_file_id'],
  ])('gets %j refused by name', async (more, param) => {
    const { id } = await upload([chat('a', 'x')]);
    const body = { input_file_id: id, endpoint: CHAT, completion_window: '24h', ...more };
    await expect(client.batches.create(body as OpenAI.BatchCreateParams)).rejects.toMatchObject({ status: 422, param });
  });

  it('gets a file for training refused', async () => {
    const file = await toFile(Buffer.from('{"text":"a","label":"b"}'), 'a.jsonl');
    const { id } = await client.files.create({ file, purpose: 'fine-tune' });
    const body = { input_file_id: id, endpoint: CHAT, completion_window: '24h' } as const;
    await expect(client.batches.create(body)).rejects.toThrow(/names a file whose purpose is fine-tune/);
  });
});
