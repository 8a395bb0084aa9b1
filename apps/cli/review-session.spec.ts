import { PassThrough } from 'node:stream';
import type { Json } from '#domain/json.js';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import type { Send } from './api.js';
import { reviewSession } from './review-session.js';
import { terminalOn } from './terminal.js';

const schema = { classifications: [{ task: 'topic', labels: ['travel', 'money'] }] };

describe('anneal review', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const infer = async (text: string): Promise<string> => {
    const { body } = await api.call('POST', '/inference', { model_id: 'anneal/encoder-base-v1', text, schema });
    return body.inference_id;
  };
  const send: Send = async (method, path, body) => {
    const answer = await api.call(method, path, body);
    if (answer.status >= 400 && answer.status !== 409) throw new Error(JSON.stringify(answer.body));
    return { status: answer.status, body: answer.body as Json };
  };

  it('shows each item that nobody else has reserved, and records verdicts and skips until the user quits', async () => {
    const ids = [];
    for (const text of ['travel travel', 'money', 'travel money', 'to travel', 'the money'])
      ids.push(await infer(text));
    await api.drained();
    const { body } = await api.call('GET', '/review');
    const order: string[] = body.items.map((item: { inference_id: string }) => item.inference_id);
    expect(order.toSorted()).toEqual(ids.toSorted());
    const right = body.items[1].inference.output;
    const typed = ['x', 'c', 'i', '{', 'i', JSON.stringify(right), 'u', 'q'];
    const shown: string[] = [];
    // Bob takes one between the list and its reservation.
    const bobs = order[3]!;
    let taken = false;
    const verdicts = await reviewSession(
      async (method, path, sent) => {
        if (path.endsWith('/reserve') && !taken) {
          taken = true;
          await api.call('POST', `/review/${bobs}/reserve`, { reviewer: 'bob' });
        }
        return send(method, path, sent);
      },
      { show: (text) => void shown.push(text), ask: async () => typed.shift() ?? null },
      new URLSearchParams({ reviewer: 'ada' }),
    );
    expect([verdicts, typed]).toEqual([3, []]);
    const about = order.filter((id) => shown.some((text) => text.includes(id)));
    expect(about).toEqual([order[0], order[1], order[2], order[4]]);
    expect(shown).toContain('Type c, i, u, s or q.');
    await api.drained();
    const { body: left } = await api.call('GET', '/review?reviewer=bob');
    expect(left.items.map((item: { inference_id: string }) => item.inference_id)).toEqual([bobs, order[4]]);
    expect((await api.call('GET', `/inferences/${order[1]}`)).body).toMatchObject({ human_verdict: 'incorrect' });
  });

  it('quits at the end of the input, whether before a correction or between two calls', async () => {
    for (const text of ['travel ends', 'money ends']) await infer(text);
    await api.drained();
    const input = new PassThrough();
    const { terminal, close } = terminalOn(input, new PassThrough().resume());
    // A pipe: the lines are there before they are asked for.
    input.end('u\ni\n');
    expect(await reviewSession(send, terminal, new URLSearchParams({ strategy: 'random', reviewer: 'eve' }))).toBe(1);
    expect(await terminal.ask('more?')).toBeNull();
    close();
    await api.drained();
    const { body } = await api.call('GET', '/review?strategy=random&reviewer=eve');
    expect(body.items.filter((item: { reserved_by: string | null }) => item.reserved_by === 'eve')).toEqual([]);
  });

  it('ends when nothing is left', async () => {
    const shown: string[] = [];
    const ask = async () => null;
    const query = new URLSearchParams({ model_id: 'anneal/none' });
    expect(await reviewSession(send, { show: (text) => void shown.push(text), ask }, query)).toBe(0);
    expect(shown).toEqual(['Nothing is left to review.']);
  });
});
