import { Ajv } from 'ajv';
import type { JsonObject } from '#domain/json.js';
import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import { NO_STREAM, type RecordedEvent } from '#ports/event-store/port.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { operate } from '#test/support/operate.js';

describe('GET /events', () => {
  let api: TestApi;
  let stream: string;
  beforeAll(async () => {
    api = await startTestApi();
    const { body } = await api.call('POST', '/projects', { name: 'replayed' });
    await api.call('DELETE', `/projects/${body.id}`);
    stream = `project-${body.id}`;
  });
  afterAll(() => api.close());

  const read = (query: string, headers?: Record<string, string>) =>
    api.call('GET', `/events?stream=${encodeURIComponent(stream)}&${query}`, undefined, headers);

  it('replays a stream in order, with the actor and cause of each event', async () => {
    const { status, body } = await read('');
    expect(status).toBe(200);
    expect(body.next_from).toBeNull();
    expect(body.events).toMatchObject([
      {
        type: 'project-created.v1',
        stream,
        revision: 0,
        data: { name: 'replayed' },
        actor: expect.stringMatching(/^key:/),
      },
      { type: 'project-deleted.v1', stream, revision: 1 },
    ]);
    expect(body.events[0].position < body.events[1].position).toBe(true);
  });

  it('is read page by page', async () => {
    const first = (await read('limit=1')).body;
    expect([first.events.length, first.next_from]).toEqual([1, 1]);
    const second = (await read(`limit=1&from=${first.next_from}`)).body;
    expect(second.events[0].type).toBe('project-deleted.v1');
    expect((await read(`from=${second.next_from}`)).body).toEqual({ events: [], next_from: null });
  });

  it('ends a page of large events early, and the next page continues there', async () => {
    const { body: call } = await api.call('POST', '/inference', {
      ...{ model_id: 'anneal/encoder-base-v1', text: 'x '.repeat(30_000), schema: ['person'] },
    });
    const id = call.inference_id as string;
    // The history has it a moment later.
    await eventually(
      () => api.call('GET', `/inferences/${id}`),
      ({ status }) => status === 200,
    );
    for (let n = 0; n < 40; n += 1) {
      const correction = { entities: { person: ['x '.repeat(30_000 - n)] } };
      expect((await api.call('POST', `/inferences/${id}/feedback`, { correction })).status).toBe(200);
    }
    const revisions: number[] = [];
    for (let from: number | null = 0; from !== null;) {
      const { body } = await api.call('GET', `/events?stream=feedback-${id}&limit=1000&from=${from}`);
      expect(JSON.stringify(body).length).toBeLessThan(1.2 * 1024 * 1024);
      revisions.push(...body.events.map(({ revision }: { revision: number }) => revision));
      from = body.next_from as number | null;
    }
    expect(revisions).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  it('types: lists every event type, with a schema that the workspace’s own events match', async () => {
    const { status, body } = await api.call('GET', '/events/types');
    expect(status).toBe(200);
    const of = (type: string) => body.data.find((each: { type: string }) => each.type === type);
    expect(of('project-created.v1')).toMatchObject({
      category: 'project',
      writers: ['api'],
      kept: false,
      read_as: null,
    });
    expect(of('training-attempt-lost.v1')).toMatchObject({ read_as: 'training-attempt-lost.v2', schema: null });
    const { events } = (await read('')).body;
    for (const { type, data } of events) expect(new Ajv().compile(of(type).schema)(data)).toBe(true);
  });

  it('shows an event as stored, also in the operator’s replay, while the system upcasts it', async () => {
    const { storedEvents, ports } = api.application;
    const [{ metadata }] = (await Array.fromAsync(ports.eventStore.readStream(stream))) as [RecordedEvent];
    const type = 'training-attempt-lost.v1';
    const data = { jobId: 'older', attempt: 1, reason: 'shut down', orderly: true, lostAt: metadata.occurredAt };
    const older = envelope('job-older', { type, data }, 0, systemContext('test', metadata.workspaceId));
    await storedEvents.append('job-older', NO_STREAM, [older]);
    const { body } = await api.call('GET', '/events?stream=job-older');
    expect(body.events).toMatchObject([{ type, data }]);
    expect(await operate(api, 'events.replay', { stream: 'job-older' })).toMatchObject([{ type, data }]);
    const read = await Array.fromAsync(ports.eventStore.readStream('job-older'));
    expect(read).toMatchObject([{ type: 'training-attempt-lost.v2', data: { cause: 'runner' } }]);
  });

  it('shows no content to a key of the scope audit: neither what a call said nor what a verdict quotes', async () => {
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada Unforgettable lives in Lyon.', schema: ['city'] };
    const { body } = await api.call('POST', '/inference', call);
    await api.drained();
    const verdict = { verdict: 'correct', notes: 'Unforgettable' };
    expect((await api.call('POST', `/inferences/${body.inference_id}/feedback`, verdict)).status).toBe(200);
    const skip = { reason: 'Unforgettable, as her mother' };
    expect((await api.call('POST', `/review/${body.inference_id}/skip`, skip)).status).toBe(200);
    const session = { authorization: `Bearer ${api.session}` };
    const made = await api.call('POST', '/create-api-key', { name: 'a', scopes: ['audit'] }, session);
    const auditor = { 'x-api-key': made.body.secret_key as string };
    for (const path of [
      '/events/log?type=call-metered.v1,call-content.v1,feedback-given.v1,review-skipped.v1',
      `/events?stream=feedback-${body.inference_id}`,
      `/events?stream=review-${body.inference_id}`,
    ])
      expect(JSON.stringify((await api.call('GET', path, undefined, auditor)).body)).not.toContain('Unforgettable');
    const ofCall = async (headers?: Record<string, string>) => {
      const { events } = (await api.call('GET', '/events/log?type=call-metered.v1,call-content.v1', undefined, headers))
        .body as { events: readonly RecordedEvent[] };
      const own = events.filter(({ data }) => data['inferenceId'] === body.inference_id);
      return Object.assign({}, ...own.map(({ data }) => data)) as JsonObject;
    };
    expect(await ofCall()).toMatchObject({ content: { input: { text: call.text } }, inputTokens: expect.any(Number) });
    expect(await ofCall(auditor)).toMatchObject({
      content: null,
      withheld: 'content',
      inputTokens: expect.any(Number),
    });
    const log = async (headers?: Record<string, string>) =>
      (await api.call('GET', `/events?stream=feedback-${body.inference_id}`, undefined, headers)).body.events[0].data;
    expect(await log(auditor)).toMatchObject({ verdict: 'correct', notes: null, withheld: 'content' });
    expect(await log()).toMatchObject({ verdict: 'correct', notes: 'Unforgettable' });
  });

  it("is 404 for another workspace's stream, even past its end", async () => {
    const headers = { 'x-api-key': (await api.colleague()).key };
    for (const query of ['', 'from=1', 'from=2', 'from=1000'])
      expect([query, (await read(query, headers)).status]).toEqual([query, 404]);
    expect((await api.call('GET', '/events?stream=project-none&from=5')).status).toBe(404);
  });

  it.each([
    ['from=x', 400],
    ['from=', 400],
    ['from=0x1', 400],
    ['limit=1&limit=2', 400],
    ['from=-1', 422],
    ['limit=0', 422],
    ['limit=1001', 422],
  ])('%s is %i', async (query, status) => {
    expect((await read(query)).status).toBe(status);
  });
});
