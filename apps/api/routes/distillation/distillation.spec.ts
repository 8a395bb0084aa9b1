import { randomNumbers } from '#primitives/random-numbers.js';
import type { TestApi } from '#test/support/api.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { refuses } from '#test/support/scripted-provider.js';
import { answers } from '#test/support/scripted-answers.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import {
  askTicket,
  endedDistillation,
  SURE_TICKET as SURE,
  sortsTickets,
  TICKETS_PROMPT as SYSTEM,
  tickets,
} from '#test/support/tickets.js';

interface Exported {
  readonly cost: number;
  readonly status: string;
  readonly cascade: { readonly by: string };
}

describe('a distilled model', () => {
  let system: HostedApi;
  let api: TestApi;
  const ticket = tickets(7);
  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api } = system);
    sortsTickets(system);
  });
  afterAll(() => system.close());

  const chat = (model: string, text: string, more: object = {}) => askTicket(api, model, text, more);
  const asked = async (model: string, calls: number) => {
    const all = [];
    for (let at = 0; at < calls; at += 1) {
      const { text, queue } = ticket();
      const answer = await chat(model, text);
      all.push({ said: answer.body.choices[0].message.content, queue, by: answer.headers.get('x-anneal-answered-by') });
    }
    return all;
  };
  const distillation = async (id: string) => (await api.call('GET', `/distillations/${id}`)).body;
  const ended = (id: string) => endedDistillation(api, id);

  it('answers what it is sure of, in the words of its teacher, which answers the rest', async () => {
    await asked('acme/chat', 150);
    await api.drained();
    const order = { teacher: 'acme/chat', target_agreement: 0.9, audit_share: 0 };
    const { status, body } = await api.call('POST', '/models/tickets/distil', order);
    expect([status, body.status]).toEqual([200, 'collecting']);
    const done = await ended(body.id);
    expect(done).toMatchObject({
      ...{ status: 'in_use', version: 1, reason: null, teacher: 'acme/chat' },
      calls: { read: 150, of_task: 150, not_mapped: 0, copies: 0, rows: 150 },
      cascade: { state: 'watching', threshold: null },
    });
    expect(done.share).toBeGreaterThan(0.8);

    const watched = await asked('tickets', 200);
    expect(watched.every(({ said, queue }) => said === queue)).toBe(true);
    expect(new Set(watched.map(({ by }) => by?.replace(/certainty.*/, '')))).toEqual(
      new Set(['teacher; reason=watching; ']),
    );
    await api.until(
      () => api.call('GET', `/distillations/${body.id}`),
      (answer) => answer.body.cascade.state === 'open',
    );
    expect((await distillation(body.id)).cascade).toMatchObject({ watched: 200, suspected: false });

    const before = system.openai.seen.length;
    const live = await asked('tickets', 60);
    const own = live.filter(({ by }) => by?.startsWith('student; reason=sure'));
    expect(own.length).toBeGreaterThan(40);
    expect(system.openai.seen).toHaveLength(before + 60 - own.length);
    expect(own.filter(({ said, queue }) => said !== queue).length).toBeLessThanOrEqual(6);

    // Another prompt is the teacher's, and a stream is answered as one.
    const other = await api.call('POST', '/v1/chat/completions', {
      ...{ model: 'tickets', messages: [{ role: 'user', content: 'What is a parcel?' }] },
    });
    expect(other.headers.get('x-anneal-answered-by')).toBe('teacher; reason=other_prompt');
    const streamed = await chat('tickets', SURE, { stream: true });
    expect(streamed.headers.get('x-anneal-answered-by')).toMatch(/^student; reason=sure; certainty=/);
    const messages = await api.call('POST', '/v1/messages', {
      ...{ model: 'tickets', max_tokens: 20, system: SYSTEM, messages: [{ role: 'user', content: SURE }] },
    });
    expect(messages.body).toMatchObject({ content: [{ type: 'text', text: 'billing' }], stop_reason: 'end_turn' });
    const native = await api.call('POST', '/inference', {
      ...{ model_id: 'tickets', task: 'generate' },
      messages: [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: SURE },
      ],
    });
    expect(native.body).toMatchObject({ completion: 'billing' });
    expect(native.headers.get('x-anneal-answered-by')).toMatch(/^student; reason=sure; certainty=/);
    const labelled = await api.call('POST', '/inference', { model_id: 'tickets', text: SURE });
    expect(labelled.body.result.classification).toMatchObject({ label: 'billing' });

    await api.drained();
    const { inferences } = (await api.call('GET', '/inferences?limit=3&offset=2')).body;
    expect(
      inferences.map(({ cascade }: { cascade: { by: string; reason: string } }) => [cascade.by, cascade.reason]),
    ).toEqual([
      ['student', 'sure'],
      ['student', 'sure'],
      ['teacher', 'other_prompt'],
    ]);
    expect(inferences[0]).toMatchObject({
      ...{ model_name: 'tickets', model_version: 1, format: 'anthropic', base_model: 'anneal/encoder-base-v1' },
      cascade: { distillation_id: body.id, certainty: expect.any(Number) },
    });
    expect(inferences[2]).toMatchObject({ model_name: 'tickets', base_model: 'acme/chat' });
    const foreign = await chat('tickets', 'Здравствуйте, где моя посылка? Спасибо!');
    expect(foreign.headers.get('x-anneal-answered-by')).toMatch(/^teacher; reason=unlike; certainty=/);
    await api.drained();
    const { inferences: last } = (await api.call('GET', '/inferences?limit=1')).body;
    expect(last[0].cascade).toMatchObject({ by: 'teacher', reason: 'unlike', unlike: 'script' });
    const list = await api.call('GET', '/models/tickets/distillations?limit=5&offset=0');
    expect(list.body).toMatchObject({ distillations: [{ id: body.id }], count: 1, total: 1 });
  });

  it('answers in the place of a teacher that is down, if its policy says so', async () => {
    const { body: policy } = await api.call('PUT', '/models/tickets/policy', { max_f1_drop: 0.02 });
    const { cascade } = policy;
    expect(cascade).toEqual({ to: 'acme/chat', target_agreement: 0.9, audit_share: 0, teacher_down: 'fail' });
    const hard = 'Hello, I cannot find my colourless green idea about profile and payment and parcel. Thanks!';
    system.openai.script(refuses(503, 'down'));
    expect((await chat('tickets', hard)).status).toBe(503);
    await api.call('PUT', '/models/tickets/policy', { cascade: { ...cascade, teacher_down: 'student' } });
    const answered = await chat('tickets', hard);
    expect([answered.status, answered.headers.get('x-anneal-answered-by')]).toEqual([
      200,
      expect.stringMatching(/^student; reason=teacher_failed; certainty=/),
    ]);
  });

  it('holds another target without being made again, if its calls show it', async () => {
    const aim = (target_agreement: number) =>
      api.call('PUT', '/models/tickets/policy', { cascade: { to: 'acme/chat', target_agreement, audit_share: 0 } });
    const { id, bound } = (await api.call('GET', '/models/tickets/distillations')).body.distillations[0];
    const beyond = await aim(0.999);
    expect([beyond.status, beyond.body.detail]).toEqual([
      422,
      expect.stringContaining(
        'is not shown by the distillation of version 1: 150 calls were judged: an agreement of 0.999 can be shown on 2995 at the least',
      ),
    ]);
    expect(await distillation(id)).toMatchObject({ target_agreement: 0.9, cascade: { state: 'open' } });
    expect((await aim(0.6)).status).toBe(200);
    // The first calls are judged by the new target, and are not asked for again.
    const { body: now } = await api.until(
      () => api.call('GET', `/distillations/${id}`),
      (answer) => answer.body.cascade.state === 'open',
    );
    expect(now).toMatchObject({ target_agreement: 0.6, cascade: { watched: 200, audited: 0 } });
    expect(now.bound.answered).toBeGreaterThanOrEqual(bound.answered);
    system.openai.script(answers('billing'));
    expect((await chat('tickets', SURE)).headers.get('x-anneal-answered-by')).toMatch(/^student; reason=sure/);
    expect((await aim(0.9)).status).toBe(200);
    await api.until(
      () => api.call('GET', `/distillations/${id}`),
      (answer) => answer.body.cascade.state === 'open',
    );
    expect(await distillation(id)).toMatchObject({ target_agreement: 0.9, bound });
  });

  it('shares traffic, is shadowed, promoted and rolled back as any name is', async () => {
    sortsTickets(system);
    const change = async (method: string, path: string, sent: object) => {
      const { status, body } = await api.call(method, `/models/tickets${path}`, sent);
      expect([path, status, body.detail]).toEqual([path, 200, undefined]);
    };
    const byOf = async () => (await chat('tickets', SURE)).headers.get('x-anneal-answered-by');
    const shadowOf = async (version: number) => {
      const id = (await chat('tickets', SURE)).body.x_pioneer.inference_id;
      const { body } = await api.until(
        () => api.call('GET', `/inferences?shadow=true&model_id=tickets@${version}&limit=1`),
        (answer) => answer.body.inferences[0]?.shadow_of === id,
      );
      return body.inferences[0];
    };
    await change('POST', '/versions', { model_id: 'acme/chat' });
    await change('PUT', '/shadow', { version: 2 });
    expect(await shadowOf(2)).toMatchObject({ base_model: 'acme/chat', status: 'success', model_version: 2 });

    await change('PUT', '/shadow', { version: null });
    await change('PUT', '/versions/2/promote', { reason: 'the teacher alone' });
    expect(await byOf()).toBeNull();
    await change('PUT', '/shadow', { version: 1 });
    expect(await shadowOf(1)).toMatchObject({ cascade: { by: 'student', reason: 'sure' }, status: 'success' });
    await api.drained();
    const { shadow_agreement: agreement } = (await api.call('GET', '/models/tickets')).body;
    expect(agreement).toEqual({ compared: 1, equal: 1, share: 1 });
    await change('PUT', '/shadow', { version: null });

    await change('PUT', '/traffic', { version: 1, percent: 100 });
    expect(await byOf()).toMatch(/^student; reason=sure/);
    await change('PUT', '/traffic', { version: null });
    expect(await byOf()).toBeNull();
    await change('POST', '/rollback', { reason: 'dearer' });
    expect(await byOf()).toMatch(/^student; reason=sure/);
  });

  it('takes what people say of its answers, whoever gave them, and is improved by another distillation alone', async () => {
    const judged = async (text: string, verdict: object) => {
      const { headers, body } = await chat('tickets', text);
      await api.drained();
      const id: string = body.x_pioneer.inference_id;
      expect((await api.call('POST', `/inferences/${id}/feedback`, verdict)).status).toBe(200);
      return headers.get('x-anneal-answered-by')?.split(';')[0];
    };
    const to = (queue: string) => ({ verdict: 'incorrect', corrected_output: queue });
    const own = await judged('Hello, please look at the invoice of order 9001. Thanks!', to('account'));
    const again = await judged('Hello, please look at the receipt of order 9002. Thanks!', {
      verdict: 'correct',
    });
    const passed = await judged('Здравствуйте, где моя посылка? Спасибо!', to('shipping'));
    expect([own, again, passed]).toEqual(['student', 'student', 'teacher']);

    const improved = await api.call('POST', '/models/tickets/improve', {});
    expect([improved.status, improved.body.detail]).toEqual([
      409,
      expect.stringContaining(
        'version 1 of model tickets was distilled; POST /models/tickets/distil {"teacher":"acme/chat","target_agreement":0.9} learns',
      ),
    ]);
  });

  it('gives all calls back to its teacher when audits speak against the target', async () => {
    const cascade = { to: 'acme/chat', target_agreement: 0.9, audit_share: 1 };
    await api.call('PUT', '/models/tickets/policy', { cascade });
    system.openai.script(answers('account'));
    const { id } = (await api.call('GET', '/models/tickets/distillations')).body.distillations.at(-1);
    for (let at = 0; at < 40; at += 1) await chat('tickets', SURE.replace('4711', String(at + 1)));
    const { body } = await api.until(
      () => api.call('GET', `/distillations/${id}`),
      (answer) => answer.body.cascade.state === 'returned',
    );
    expect(body.cascade.reason).toMatch(
      /^of \d+ audited answers \d+ were not the teacher's: the agreement is below 0.9$/,
    );
    const returned = await chat('tickets', SURE);
    expect(returned.headers.get('x-anneal-answered-by')).toMatch(/^teacher; reason=returned/);
    const { inferences } = (await api.call('GET', '/inferences?shadow=true&limit=1')).body;
    expect(inferences[0]).toMatchObject({ cascade: { by: 'teacher', reason: 'audit', agrees: false } });
  });

  it('says what it saves, to the picodollar of the bill', async () => {
    await api.drained();
    const { body } = await api.call('GET', '/models/tickets/savings?days=2');
    const exported = async (query: string) => {
      const headers = { 'x-api-key': api.key };
      const lines = await (
        await fetch(`${api.url}/inferences/export?format=jsonl&model_id=tickets${query}`, { headers })
      ).text();
      return (
        lines
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Exported)
          // A text that is labelled on `/inference` asks no teacher.
          .filter(({ cascade }) => cascade !== undefined)
      );
    };
    const [answered, audits] = [await exported('&shadow=false'), await exported('&shadow=true')];
    const costs = [...answered, ...audits].map(({ cost }) => BigInt(Math.round(cost * 1e12)));
    expect(body.cost_picodollars).toBe(String(costs.reduce((sum, cost) => sum + cost, 0n)));
    const good = answered.filter(({ status }) => status === 'success');
    const own = good.filter(({ cascade }) => cascade.by === 'student');
    expect(body).toMatchObject({
      ...{ model: 'tickets', calls: good.length, answered: own.length, share: own.length / good.length },
      ...{ audited: audits.length, agreement: { agreement: expect.any(Number), low: expect.any(Number) } },
      latency_ms: expect.any(Number),
    });
    expect(body.cost_before).toBeGreaterThan(body.cost_picodollars / 1e12 - body.audited * 1e-4);
    expect(body.latency_ms_before).toBeGreaterThan(0);
    expect(body.days.map(({ day }: { day: string }) => day)).toEqual(
      [...new Set([body.from, body.until])].slice(-body.days.length),
    );
  });

  it('is refused where the calls cannot be learned, with what is missing', async () => {
    const draw = randomNumbers(9);
    const coin = () => ['yes', 'no', 'maybe'][Math.floor(draw() * 3)]!;
    system.openai.script((response, request) => answers(coin())(response, request));
    const texts = Array.from({ length: 60 }, () => ticket().text);
    for (const text of [...texts, ...texts.slice(0, 12)]) {
      const content = `Is this urgent? Say yes, no or maybe. Text: ${text}`;
      await api.call('POST', '/v1/chat/completions', { model: 'acme/paced', messages: [{ role: 'user', content }] });
    }
    await api.drained();
    const few = await api.call('POST', '/models/urgent/distil', { teacher: 'acme/paced', target_agreement: 0.98 });
    expect((await ended(few.body.id)).reason).toMatch(
      /^learning from the calls was refused: 60 calls .* 149 at the least, 89 more than there are: `label` has acme\/paced asked about texts of a dataset first/,
    );
    const random = await api.call('POST', '/models/urgent/distil', { teacher: 'acme/paced', target_agreement: 0.9 });
    const over = await ended(random.body.id);
    expect(over).toMatchObject({ status: 'refused', version: null, bound: null });
    expect(over.reason).toMatch(
      /^of the \d+ calls that the model is surest of it answers \d+ otherwise than the teacher/,
    );
    expect(over.calls).toMatchObject({ copies: 12, rows: 60 });
    expect(over.reason).toMatch(
      /; of copies the teacher answered \d+% of the pairs alike, so no model agrees .* \d+%$/,
    );
    expect((await api.call('GET', '/models/urgent')).body.version).toBeNull();
    // Reasons are on the log in clear, and stay: they say nothing of any call.
    const events = await Array.fromAsync(system.api.application.storedEvents.readAll());
    const own = events.filter(({ data }) => [few.body.id, random.body.id].includes(data['distillationId'] as string));
    expect(own.map(({ type }) => type)).toContain('distillation-ended.v1');
    for (const text of texts) expect(JSON.stringify(own)).not.toContain(text);
  });

  it('is refused for a teacher that does not generate, and can be cancelled', async () => {
    const wrong = await api.call('POST', '/models/tickets/distil', { teacher: 'anneal/encoder-base-v1' });
    expect([wrong.status, wrong.body.detail]).toEqual([
      422,
      expect.stringContaining('teacher: must be the catalog id of a model that generates text'),
    ]);
    const { body } = await api.call('POST', '/models/other/distil', {
      ...{ teacher: 'acme/chat', from: { since: '2030-01-01T00:00:00Z', until: null, project_id: null } },
      ...{ task: null, unmapped: 'refuse', base_model: 'anneal/encoder-base-v1', audit_share: 0.5 },
    });
    const cancelled = await api.call('POST', `/distillations/${body.id}/cancel`);
    expect([200, 409]).toContain(cancelled.status);
    expect((await api.call('GET', `/distillations/${body.id}?as_of=${new Date().toISOString()}`)).status).toBe(200);
  });
});
