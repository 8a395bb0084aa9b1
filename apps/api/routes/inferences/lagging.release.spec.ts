import { v7 as uuid7 } from 'uuid';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { ReadModelFile } from '#test/support/read-model-file.js';

const MODEL = 'anneal/encoder-base-v1';
const TEXT = 'Ada Lovelace flew to Berlin.';

/** Requests that name a call, and what they answer once the history has it. */
const REQUESTS: readonly (readonly [method: string, path: (id: string) => string, body: unknown, status: number])[] = [
  ['GET', (id) => `/inferences/${id}`, undefined, 200],
  ['GET', (id) => `/inferences/${id}/lineage`, undefined, 200],
  ['POST', (id) => `/review/${id}/reserve`, {}, 200],
  ['POST', (id) => `/inferences/${id}/feedback`, { verdict: 'correct' }, 200],
  ['GET', (id) => `/inferences/${id}/feedback`, undefined, 200],
  ['DELETE', (id) => `/inferences/${id}`, undefined, 200],
];

describeEmbedded('a call that was answered while the history lags behind', 'it holds the file of a read model', () => {
  let api: TestSystem;
  beforeAll(async () => (api = await startTestApi()));
  afterAll(() => api.close());

  it('is never 404: 503 with Retry-After until the history has passed it, by every route', async () => {
    const history = new ReadModelFile(api, 'inferences');
    const ask = async (id: string, requests = REQUESTS) => {
      const answers: (readonly [request: string, status: number, comesAgain: boolean])[] = [];
      for (const [method, path, body] of requests) {
        const { status, headers } = await api.call(method, path(id), body);
        answers.push([`${method} ${path('ID')}`, status, Number(headers.get('retry-after')) > 0]);
      }
      return answers;
    };
    const unknown = uuid7();
    let id: string;
    {
      using _ = await history.held();
      const { status, body } = await api.call('POST', '/v1/chat/completions', {
        ...{ model: MODEL, schema: ['person'], messages: [{ role: 'user', content: TEXT }] },
      });
      expect(status).toBe(200);
      id = body.x_pioneer.inference_id as string;
      const waited = await Promise.all(REQUESTS.map((each) => ask(id, [each])));
      expect(waited.flat()).toEqual(REQUESTS.map(([method, path]) => [`${method} ${path('ID')}`, 503, true]));
      // Nobody knows yet that there is no such call.
      expect(await ask(unknown, REQUESTS.slice(0, 1))).toEqual([['GET /inferences/ID', 503, true]]);
    }
    await api.drained();
    expect(await ask(id)).toEqual(
      REQUESTS.map(([method, path, , status]) => [`${method} ${path('ID')}`, status, false]),
    );
    expect((await ask(unknown, REQUESTS.slice(0, 1)))[0]![1]).toBe(404);
  });
});
