import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { v7 as uuid7 } from 'uuid';
import { systemContext } from '#log/context.js';
import { CallRecorder } from '#calls/recording/call-recorder.js';
import type { CallContentBody } from '#domain/inference/index.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { longestTurnDuring, MAX_TURN_MS } from '#test/support/main-thread.js';
import { AnswerBudget } from '#use-cases/calls/answer-budget.js';

const MIB = 1024 * 1024;

describe('history of large records', () => {
  let api: TestSystem;
  let workspaceId: string;
  const read = { objects: 0, bytes: 0 };

  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    const { body } = await api.call('GET', '/auth/session', undefined, { authorization: `Bearer ${api.session}` });
    workspaceId = body.workspace_id as string;
    const { objectStore } = api.application.ports;
    const get = objectStore.get.bind(objectStore);
    objectStore.get = async (...given) => {
      read.objects += 1;
      const content = await get(...given);
      return (async function* () {
        for await (const chunk of content) {
          read.bytes += chunk.byteLength;
          yield chunk;
        }
      })();
    };
  });
  afterAll(() => api.close());
  beforeEach(() => void Object.assign(read, { objects: 0, bytes: 0 }));

  /** Records a call like answered ones, and waits until the history has all of it. */
  const recorded = async (content: CallContentBody): Promise<string> => {
    const inferenceId = uuid7();
    const context = { ...systemContext('test', workspaceId, inferenceId), workspaceId };
    const model = 'anneal/encoder-base-v1';
    const metered = {
      ...{ inferenceId, teamId: 't', userId: 'u', keyId: 'k', modelId: model, baseModel: model, trainingJobId: null },
      ...({
        projectId: null,
        task: 'generate',
        source: 'api',
        format: 'openai',
        status: 'success',
        errorType: null,
      } as const),
      ...{ latencyMs: 1, ttftMs: null, inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      ...{ price: { input: '0', output: '0', cacheRead: '0', cacheWrite: '0' }, costPicodollars: '0', at: context.now },
    } as const;
    await api.app.get(CallRecorder).record({ metered, content }, context);
    expect((await fetched(`/inferences/${inferenceId}`)).statusCode).toBe(200);
    return inferenceId;
  };
  const body = (text: string): CallContentBody => ({ input: { text }, output: { said: text }, errorMessage: null });
  const list = (query = '') => api.call('GET', `/inferences?${query}`);

  /** Starts an answer and reads nothing of it. */
  const opened = async (path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> => {
    const request = httpRequest(api.url + path, { headers: { 'x-api-key': api.key, ...headers } });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };
  /** An answer, read and thrown away. */
  const fetched = async (path: string) => {
    const response = await opened(path);
    response.resume();
    await once(response, 'end');
    return response;
  };

  it('lists small calls whole and large ones shortened, naming the shortened fields', async () => {
    const small = await recorded(body('small'));
    const [inEvent, inObject] = [await recorded(body('é'.repeat(8_000))), await recorded(body('x'.repeat(MIB)))];
    const { inferences } = (await list('limit=3')).body;
    expect(inferences.map(({ id }: { id: string }) => id)).toEqual([inObject, inEvent, small]);
    expect(inferences[2]).toMatchObject({ input: { text: 'small' }, output: { said: 'small' } });
    expect(inferences[2]).not.toHaveProperty('truncated_fields');
    for (const record of inferences.slice(0, 2)) {
      expect(record.truncated_fields).toEqual(['input', 'output']);
      expect(record.input.text).toMatch(/^(?:é+|x+)…$/);
      expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(8 * 1024);
    }
  });

  it('returns each whole by its id, as it was recorded, with the same ETag until it changes', async () => {
    const large: CallContentBody = {
      input: { text: '"errorMessage":{\\' + '\u{1f600}"'.repeat(50_000), nested: [{ errorMessage: 'x' }] },
      output: { errorMessage: null },
      errorMessage: 'it "failed",\n"errorMessage":null}',
    };
    for (const content of [large, body('é'.repeat(8_000)), { ...large, errorMessage: 'é'.repeat(20_000) }]) {
      const id = await recorded(content);
      const { headers, body: record } = await api.call('GET', `/inferences/${id}`);
      expect(record).toMatchObject({ id, ...{ input: content.input, output: content.output } });
      expect([record.error_message, record.truncated_fields]).toEqual([content.errorMessage, undefined]);
      const etag = headers.get('etag')!;
      const again = await opened(`/inferences/${id}`, { 'if-none-match': etag });
      expect([again.statusCode, again.headers.etag]).toEqual([304, etag]);
      again.resume();
      await api.call('POST', `/inferences/${id}/feedback`, { verdict: 'correct' });
      const changed = await api.call('GET', `/inferences/${id}`);
      expect([changed.body.human_verdict, changed.headers.get('etag') === etag]).toEqual(['correct', false]);
    }
  });

  it('shows large feedback shortened in lists and whole by id', async () => {
    const id = await recorded(body('small'));
    const given = { correction: { said: 'x'.repeat(60_000) }, notes: 'n'.repeat(5_000) };
    expect((await api.call('POST', `/inferences/${id}/feedback`, given)).body).toMatchObject({ inference_id: id });
    const human = { human_corrected_output: given.correction, human_feedback_notes: given.notes };
    expect((await api.call('GET', `/inferences/${id}/feedback`)).body).toMatchObject(human);
    expect((await api.call('GET', `/inferences/${id}`)).body).toMatchObject(human);
    const [record] = (await list('limit=1')).body.inferences;
    expect(record).toMatchObject({ id, truncated_fields: ['human_corrected_output', 'human_feedback_notes'] });
    expect(JSON.stringify(record).length).toBeLessThan(8 * 1024);
  });

  it('reads no content for lists: 30 lists of 24 records of 2 MiB at once, and others are answered in between', async () => {
    for (let n = 0; n < 24; n += 1) await recorded(body('x'.repeat(MIB)));
    const budget = api.app.get(AnswerBudget);
    let held = 0;
    const take = budget.take.bind(budget);
    budget.take = async (...given) => {
      const giveBack = await take(...given);
      held = Math.max(held, budget.held);
      return giveBack;
    };
    read.objects = 0;
    const listing = async () => {
      let isAnswered = false;
      const lists = Array.from({ length: 30 }, async () => {
        const statuses: (number | undefined)[] = [];
        do statuses.push((await fetched('/inferences?limit=500')).statusCode);
        while (!isAnswered);
        return statuses;
      });
      expect((await fetched('/projects')).statusCode).toBe(200);
      isAnswered = true;
      expect(new Set((await Promise.all(lists)).flat())).toEqual(new Set([200]));
    };
    const { ms } = await longestTurnDuring(listing());
    expect(read.objects).toBe(0);
    expect(held).toBeLessThanOrEqual(16 * MIB);
    expect(held).toBeGreaterThan(0);
    // Parsing and rendering 24 such records whole would take a second for each list.
    expect(ms).toBeLessThan(MAX_TURN_MS);
    budget.take = take;
  });

  it('streams a record of 40 MiB, no faster than the client reads', async () => {
    const id = await recorded({ input: { text: 'x' }, output: 'y'.repeat(40 * MIB), errorMessage: null });
    Object.assign(read, { objects: 0, bytes: 0 });
    const streaming = async () => {
      const response = await opened(`/inferences/${id}`);
      // Turns in which it could read on, if it did.
      for (let turn = 0; turn < 2_000; turn += 1) await new Promise(setImmediate);
      expect(read.bytes).toBeLessThan(20 * MIB);
      let bytes = 0;
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      expect(bytes).toBeGreaterThan(40 * MIB);
    };
    const { ms } = await longestTurnDuring(streaming());
    expect(ms).toBeLessThan(MAX_TURN_MS);
  });

  it('shows a call without its content after the content was deleted', async () => {
    const id = await recorded(body('x'.repeat(MIB)));
    await api.application.ports.objectStore.deletePrefix(`calls/${workspaceId}/`);
    expect((await api.call('GET', `/inferences/${id}`)).body).toMatchObject({ id, input: null, output: null });
  });

  it.each(['whole', 'in pieces'])('refuses to show content that was tampered with, read %s', async (how) => {
    // An error message that is longer than the tail makes the whole be read at once.
    const errorMessage = how === 'whole' ? 'é'.repeat(20_000) : null;
    const id = await recorded({ ...body('x'.repeat(MIB)), errorMessage });
    const { objectStore } = api.application.ports;
    const key = `calls/${workspaceId}/${id}.json`;
    const bytes = Buffer.concat(await Array.fromAsync(await objectStore.get(key)));
    bytes[20]! ^= 1;
    await objectStore.put(key, bytes);
    const { status, body: refused } = await api.call('GET', `/inferences/${id}`);
    expect([status, refused.detail]).toEqual([
      409,
      expect.stringMatching(/sha256 differs from the recorded one; restore/),
    ]);
  });
});
