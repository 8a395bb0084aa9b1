import { RemoteError } from '#ports/bus/port.js';
import { systemContext } from '#log/context.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import type { Answer, TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { trainingRequest } from '#test/support/training-events.js';

const model_id = 'anneal/encoder-base-v1';

describe('recorded inference', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await sharedTestApi();
  });

  afterAll(() => api.close());

  const infer = (body: object) => api.call('POST', '/inference', { model_id, schema: ['person'], ...body });
  const list = (query: string) => api.call('GET', `/inferences?${query}`);
  /** The newest record. A call that fails does not wait for the history. */
  const newest = async () => {
    await api.drained();
    return (await list('limit=1')).body.inferences[0];
  };
  const ids = ({ body }: Answer): string[] => body.inferences.map(({ id }: { id: string }) => id);

  it('is answered in the shape of the interface, and can be read back at once', async () => {
    const answered = await infer({ text: 'then Maria left.' });
    expect(answered.status).toBe(200);
    expect(answered.body).toEqual({
      type: 'encoder',
      inference_id: expect.any(String),
      result: { entities: { person: [{ text: 'Maria', confidence: expect.any(Number), start: 5, end: 10 }] } },
      model_id,
      model_used: model_id,
      latency_ms: expect.any(Number),
      token_usage: 4,
    });
    const { body: record } = await api.call('GET', `/inferences/${answered.body.inference_id}`);
    expect(record).toMatchObject({
      id: answered.body.inference_id,
      model_name: 'Anneal Encoder Base v1',
      base_model: model_id,
      task: 'extract_entities',
      input: { text: 'then Maria left.', schema: ['person'] },
      output: answered.body.result,
      tokens: 4,
      cost: 4 * 0.15e-6,
      source: 'api',
      format: 'native',
      status: 'success',
      training_job_id: null,
    });
  });

  it('runs the model that an alias stands for, and the answer names both', async () => {
    const { body } = await infer({ model_id: 'fastino/gliner2-base-v1', text: 'Maria' });
    expect(body).toMatchObject({ model_id: 'fastino/gliner2-base-v1', model_used: model_id });
  });

  it('records a batch once, with a list as result', async () => {
    const { body } = await infer({ text: ['Anna is here.', 'nobody came'] });
    expect(body.result.map(({ entities }: { entities: { person: unknown[] } }) => entities.person.length)).toEqual([
      1, 0,
    ]);
    const { body: record } = await api.call('GET', `/inferences/${body.inference_id}`);
    expect(record.output).toEqual(body.result);
  });

  it.each(['%01'.repeat(4_700), '%00', 'x'.repeat(9_000)])(
    'is not found by a label that no answer has: %#',
    async (label) => {
      expect((await list(`label=${label}`)).body).toMatchObject({ total: 0, inferences: [] });
    },
  );

  it('leaves nothing to read back with store false, and counts the usage', async () => {
    const { body } = await infer({ text: 'Unrepeatable Secret', store: false });
    expect(body.inference_id).toBeNull();
    const { body: page } = await list('limit=500');
    expect(JSON.stringify(page)).not.toContain('Unrepeatable');
    const events = await Array.fromAsync(api.application.ports.eventStore.readAll());
    expect(JSON.stringify(events)).not.toContain('Unrepeatable');
    const metered = events.findLast(
      ({ type, metadata }) => type === 'call-metered.v1' && metadata.workspaceId === api.workspaceId,
    );
    expect(metered).toMatchObject({ data: { stored: false, inputTokens: 2 } });
  });

  it('records a failed call, and reveals no internals', async () => {
    const { bus } = api.application.ports;
    const call = bus.call.bind(bus);
    bus.call = async function* () {
      throw new RemoteError('internal', 'out of memory at 0x1234');
    };
    const failed = await infer({ text: 'Maria' });
    bus.call = call;
    expect(failed.status).toBe(500);
    expect(JSON.stringify(failed.body)).not.toContain('0x1234');
    expect(await newest()).toMatchObject({ status: 'failed', error_type: 'internal', output: null });
  });

  describe('recorded inference of a training job that cannot serve', () => {
    const jobId = '3f1c2d4e-0a6b-5c7d-8e9f-001122334455';

    beforeAll(async () => {
      const { body } = await api.call('GET', '/auth/session', undefined, { authorization: `Bearer ${api.session}` });
      const workspaceId = body.workspace_id as string;
      const request = { ...trainingRequest(jobId), workspaceId, baseModel: { id: model_id, sha256: 'aa' } };
      const { application } = api;
      const run = (command: Parameters<typeof trainingJobDecider.decide>[0]) =>
        application.execute(trainingJobDecider, jobId, command, systemContext('test', null));
      await run({ type: 'request-training-job', ...request });
      await run({ type: 'stop-training-job', jobId, workspaceId });
    });

    it('is 409, naming its state, and recorded as failed', async () => {
      const refused = await infer({ model_id: jobId, text: 'Maria' });
      expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('cancelled')]);
      expect(await newest()).toMatchObject({
        ...{ model_id: jobId, training_job_id: jobId, input: { text: 'Maria' }, output: null, tokens: 0 },
        ...{ status: 'failed', error_type: 'model_not_ready', error_message: refused.body.detail },
      });
    });

    it('reports other faults of the call first', async () => {
      expect(
        (await infer({ model_id: jobId, text: 'x', schema: { classifications: [{ task: 't', labels: [] }] } })).status,
      ).toBe(422);
      expect((await infer({ model_id: jobId, text: 'x', project_id: 'none' })).status).toBe(404);
    });

    it('is 409 for a warm-up, and leaves no record', async () => {
      const { body: before } = await list('limit=1');
      expect((await infer({ model_id: jobId, is_warmup: true })).status).toBe(409);
      expect((await list('limit=1')).body.total).toBe(before.total);
    });
  });

  it('is listed newest first, without gaps, with a total', async () => {
    const made: string[] = [];
    for (const text of ['A1', 'A2', 'A3', 'A4', 'A5']) made.push((await infer({ text })).body.inference_id as string);
    await api.call('GET', `/inferences/${made.at(-1)}`);
    const newest = made.toReversed();
    const { body: first } = await list('limit=2');
    const { body: second } = await list('limit=2&offset=2');
    expect([...ids({ body: first } as Answer), ...ids({ body: second } as Answer)]).toEqual(newest.slice(0, 4));
    expect(second).toMatchObject({ total: first.total, limit: 2, offset: 2 });
    const { body: beyond } = await list(`offset=${first.total}`);
    expect(beyond).toMatchObject({ inferences: [], total: first.total });
  });

  it.each([
    ['model_id', (id: string) => `model_id=${id}`],
    ['task', () => 'task=extract_entities'],
    ['latency_min', () => 'latency_min=0'],
    ['several filters', (id: string) => `model_id=${id}&task=extract_entities&latency_max=60000`],
  ])('filters by %s', async (_, query) => {
    const { body: found } = await list(query('fastino/gliner2-base-v1'));
    expect(found.total).toBeGreaterThan(0);
    expect(found.inferences).toHaveLength(found.total);
  });

  it.each(['model_id=none', 'task=generate', 'latency_min=60000', 'training_job_id=none', 'until=2020-01-01'])(
    'finds nothing for %s',
    async (query) => expect((await list(query)).body).toMatchObject({ inferences: [], total: 0 }),
  );

  it('is filtered by time, bounds included', async () => {
    const { body: page } = await list('limit=1');
    const { created_at, id } = page.inferences[0];
    const at = encodeURIComponent(created_at as string);
    expect(ids(await list(`since=${at}&until=${at}`))).toContain(id);
  });

  it.each([
    ['limit=0', 422],
    ['limit=501', 422],
    ['limit=many', 400],
    ['offset=-1', 422],
    ['task=dance', 400],
    ['since=yesterday', 400],
    ['latency_min=fast', 400],
    ['limit=', 400],
    ['offset=1e300', 422],
    ['since=2026-W47-5', 400],
    ['until=20261120T190000Z', 400],
    ['project_id=none', 404],
  ])('is listed with %s: %i', async (query, status) => expect((await list(query)).status).toBe(status));

  it.each<[string, object, number]>([
    ['an unknown model', { model_id: 'no/such' }, 404],
    ['no schema on a base model', { text: 'x', schema: undefined }, 422],
    ['a head that the model lacks', { text: 'x', schema: { structures: { s: ['f::str'] } } }, 422],
    ['another head that it lacks', { text: 'x', schema: { relations: ['works_for'] } }, 422],
    ['an unknown project', { text: 'x', project_id: 'none' }, 404],
    ['no text', {}, 422],
  ])('%s is refused', async (_, body, status) => {
    const refused = await infer({ text: 'x', ...body, ...(Object.keys(body).length === 0 && { text: undefined }) });
    expect(refused.status).toBe(status);
    expect(typeof refused.body.detail).toBe('string');
  });

  it('runs a warm-up without a record', async () => {
    const { body } = await infer({ is_warmup: true });
    expect(body).toMatchObject({ inference_id: null, result: {}, token_usage: 0 });
  });

  describe('feedback', () => {
    const feedback = (id: string, body: object) => api.call('POST', `/inferences/${id}/feedback`, body);

    it('supersedes an earlier verdict; both stay on the log', async () => {
      const id = (await infer({ text: 'Maria' })).body.inference_id as string;
      expect((await api.call('GET', `/inferences/${id}/feedback`)).status).toBe(404);
      expect((await feedback(id, { verdict: 'correct' })).body).toMatchObject({
        inference_id: id,
        human_verdict: 'correct',
      });
      await feedback(id, { correction: { entities: { person: [] } }, notes: 'no name' });
      expect((await api.call('GET', `/inferences/${id}/feedback`)).body).toEqual({
        inference_id: id,
        human_verdict: 'incorrect',
        human_corrected_output: { entities: { person: [] } },
        human_feedback_notes: 'no name',
        human_feedback_at: expect.any(String),
        verdicts: [
          {
            ...{ reviewer: expect.stringMatching(/^key:/), user_id: expect.any(String), verdict: 'incorrect' },
            ...{ corrected_output: { entities: { person: [] } }, notes: 'no name', at: expect.any(String) },
          },
        ],
      });
      expect((await api.call('GET', `/inferences/${id}`)).body).toMatchObject({ human_verdict: 'incorrect' });
      const log = await api.call('GET', `/events?stream=feedback-${id}`);
      expect(log.body.events).toHaveLength(2);
    });

    it('of several reviewers stays until each removes their own, and the latest counts for the call', async () => {
      const id = (await infer({ text: 'Maria' })).body.inference_id as string;
      await feedback(id, { verdict: 'correct', reviewer: 'Ann' });
      await feedback(id, { verdict: 'unsure', reviewer: 'Bob', notes: 'a name?' });
      await feedback(id, { correction: { entities: { person: [] } }, reviewer: 'Cid' });
      const said = async () =>
        (await api.call('GET', `/inferences/${id}/feedback`)).body.verdicts?.map(
          (each: Readonly<Record<string, string>>) => `${each['reviewer']}: ${each['verdict']}`,
        );
      expect(await said()).toEqual(['Ann: correct', 'Bob: unsure', 'Cid: incorrect']);
      expect((await feedback(id, { corrected_output: null, reviewer: 'Cid' })).body).toEqual({
        ...{ inference_id: id, human_verdict: 'unsure', human_feedback_at: expect.any(String) },
      });
      expect((await api.call('GET', `/inferences/${id}`)).body).toMatchObject({
        ...{ human_verdict: 'unsure', human_feedback_notes: 'a name?', human_corrected_output: null },
      });
      expect((await feedback(id, { verdict: null, reviewer: 'Dora' })).body.human_verdict).toBe('unsure');
      await feedback(id, { verdict: null, reviewer: 'Ann' });
      expect(await said()).toEqual(['Bob: unsure']);
      expect((await feedback(id, { verdict: null, reviewer: 'Bob' })).body).toEqual({
        ...{ inference_id: id, human_verdict: null, human_feedback_at: null },
      });
      expect((await api.call('GET', `/inferences/${id}/feedback`)).status).toBe(404);
      expect((await api.call('GET', `/inferences/${id}`)).body).not.toHaveProperty('human_verdict');
      const log = await api.call('GET', `/events?stream=feedback-${id}`);
      expect(log.body.events).toHaveLength(6);
    });

    it('accepts an unrequested label that is declared as new, and reports it', async () => {
      const id = (await infer({ text: 'Maria' })).body.inference_id as string;
      const corrected_output = { entities: { city: ['Maria'] } };
      const given = { verdict: 'incorrect', corrected_output, new_labels: ['city'] };
      expect((await feedback(id, given)).body).toMatchObject({ human_verdict: 'incorrect', new_labels: ['city'] });
      const { body } = await api.call('GET', `/inferences/${id}/feedback`);
      expect(body.verdicts).toMatchObject([{ corrected_output, new_labels: ['city'] }]);
      const refused = await feedback(id, { ...given, new_labels: ['city', 'town'] });
      expect(refused.body.errors).toEqual([expect.objectContaining({ loc: ['body', 'new_labels', 1] })]);
    });

    it('of several reviewers is compared: kappa of verdicts, F1 of entities, and the disputed calls', async () => {
      const named = 'fastino/gliner2-base-v1';
      const made = async (text: string) => (await infer({ text, model_id: named })).body.inference_id as string;
      const [agreed, disputed] = [await made('then Maria left.'), await made('then Anna left.')];
      for (const reviewer of ['Ann', 'Bob']) await feedback(agreed, { verdict: 'correct', reviewer });
      await feedback(disputed, { verdict: 'correct', reviewer: 'Ann' });
      await feedback(disputed, { correction: { entities: { person: [] } }, reviewer: 'Bob' });
      const { status, body } = await api.call('GET', `/inferences/agreement?model_id=${encodeURIComponent(named)}`);
      expect([status, body]).toEqual([
        200,
        {
          ...{ calls: 2, calls_left_out: 0, disagreements: [disputed] },
          pairs: [
            {
              ...{ reviewers: ['Ann', 'Bob'], calls: 2, agreed: 1, kappa: 0 },
              ...{ entity_calls: 2, entity_f1: 2 / 3 },
            },
          ],
        },
      ]);
      const none = await api.call('GET', '/inferences/agreement?model_id=none');
      expect(none.body).toEqual({ calls: 0, calls_left_out: 0, pairs: [], disagreements: [] });
    });

    it('for a missing call is refused, naming store: false as a possible cause', async () => {
      const refused = await feedback('0190b6a0-0000-7000-8000-00000000dead', { verdict: 'correct' });
      expect([refused.status, refused.body.detail]).toEqual([404, expect.stringContaining('store: false')]);
    });

    it.each<[string, object, number]>([
      ['a corrected output when unsure', { verdict: 'unsure', corrected_output: { entities: { person: [] } } }, 422],
      ['new labels without a corrected output', { verdict: 'correct', new_labels: ['city'] }, 422],
      ['notes on a verdict that is removed', { verdict: null, notes: 'why' }, 422],
      ['no verdict', {}, 422],
      ['an unknown verdict', { verdict: 'maybe' }, 422],
      ['incorrect without a corrected output', { verdict: 'incorrect' }, 422],
      ['notes that are too long', { verdict: 'correct', notes: 'x'.repeat(5001) }, 422],
    ])('%s is refused', async (_, body, status) => {
      const id = (await infer({ text: 'Maria' })).body.inference_id as string;
      expect((await feedback(id, body)).status).toBe(status);
    });

    /** JSON of the given KiB, for a call with a text of as many letters. */
    const ofKib = (kib: number) => ({ entities: { person: ['é '.repeat((kib * 1024 - 40) / 3)] } });
    const LETTERS = 'é '.repeat(25_000);

    it('accepts a corrected output of 64 KiB of JSON, and names the field and the size of a larger one', async () => {
      const id = (await infer({ text: LETTERS })).body.inference_id as string;
      expect((await feedback(id, { verdict: 'incorrect', corrected_output: ofKib(64) })).status).toBe(200);
      for (const [field, given] of [
        ['corrected_output', { verdict: 'incorrect', corrected_output: ofKib(65) }],
        ['correction', { correction: ofKib(65) }],
        ['corrected_output', { verdict: 'correct', corrected_output: ofKib(65) }],
      ] as const) {
        const refused = await feedback(id, given);
        expect([refused.status, refused.body.errors]).toEqual([
          422,
          [expect.objectContaining({ loc: ['body', field], msg: 'must be at most 64 KiB of JSON (got 65 KiB)' })],
        ]);
      }
    });

    it('answers 200 commands at once on one call, accepts a hundred, and reads one event for each', async () => {
      const text = 'x '.repeat(3_000);
      const id = (await infer({ text })).body.inference_id as string;
      await api.call('GET', `/inferences/${id}`);
      const { eventStore } = api.application.ports;
      const readStream = eventStore.readStream.bind(eventStore);
      let read = 0;
      let largest = 0;
      eventStore.readStream = async function* (stream, options) {
        let events = 0;
        for await (const event of readStream(stream, options)) {
          if (stream === `feedback-${id}`) [read, events] = [read + 1, events + 1];
          largest = Math.max(largest, events);
          yield event;
        }
      };
      const corrected = (n: number) => ({ entities: { person: ['x '.repeat(3_000 - n)] } });
      let sent = 0;
      // Retries after a timeout on a busy machine, as clients do.
      const settled = async (n: number): Promise<number> => {
        sent += 1;
        const { status } = await feedback(id, { correction: corrected(n) });
        return status === 503 ? settled(n) : status;
      };
      const statuses = await Promise.all(Array.from({ length: 200 }, (_, n) => settled(n))).finally(
        () => (eventStore.readStream = readStream),
      );
      const count = (status: number) => statuses.filter((each) => each === status).length;
      expect([count(200), count(409)]).toEqual([100, 100]);
      expect(largest).toBe(1);
      expect(read).toBeLessThanOrEqual(sent);
    });

    it('refuses a corrected output that cannot have been the answer, under either name', async () => {
      const id = (await infer({ text: 'Maria' })).body.inference_id as string;
      for (const [field, given] of [
        ['corrected_output', { verdict: 'incorrect', corrected_output: { entities: { city: ['Maria'] } } }],
        ['correction', { correction: { entities: { city: ['Maria'] } } }],
        ['correction', { verdict: 'correct', corrected_output: null, correction: { entities: { city: ['Maria'] } } }],
        ['corrected_output', { verdict: 'correct', corrected_output: { entities: { city: ['Maria'] } } }],
      ] as const) {
        const refused = await feedback(id, given);
        expect([refused.status, refused.body.errors]).toEqual([
          422,
          [expect.objectContaining({ loc: ['body', field, 'entities', 'city'], type: 'not_allowed' })],
        ]);
      }
      expect((await api.call('GET', `/inferences/${id}/feedback`)).status).toBe(404);
    });

    it('is checked against content that lies in the object store', async () => {
      const texts = Array.from({ length: 20 }, (_, n) => `${n} Maria. ${'nothing else was there, '.repeat(300)}`);
      const { inference_id: id } = (await infer({ text: texts })).body;
      const right = texts.map(() => ({ entities: { person: ['Maria'] } }));
      const wrong = [...right.slice(1), { entities: { person: ['Bob'] } }];
      expect((await feedback(id, { correction: wrong })).body.errors).toEqual([
        expect.objectContaining({ loc: ['body', 'correction', 19, 'entities', 'person', 0] }),
      ]);
      expect((await feedback(id, { correction: right })).status).toBe(200);
    });

    it('is 404 for an unknown inference', async () => {
      expect((await feedback('0199a7c2-5b1e-7c11-9d0e-3a4f5b6c7d8e', { verdict: 'correct' })).status).toBe(404);
    });
  });
});
