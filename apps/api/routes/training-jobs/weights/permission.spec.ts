import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import { ownRoutesOf, type ApiDocument, type Route } from '#test/fuzz/document.js';
import { ROUTE_TOOLS } from '../../mcp/tools.js';

/** Files of a model hold vectors of the rows that it learned from. */
describe('the files of a model', () => {
  let api: TestApi;
  let jobId: string;
  let routes: readonly Route[];
  let without: Readonly<Record<string, string>>;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    const client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
    ({ id: jobId } = await client.start({
      ...{ base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'trips' }], nr_epochs: 2 },
    }));
    await client.ended(jobId);
    without = await keyOf(['inference', 'write', 'history', 'audit']);
    routes = ownRoutesOf((await api.call('GET', '/openapi.json', undefined, {})).body as ApiDocument);
  });
  afterAll(() => api.close());

  const keyOf = async (scopes: readonly string[]) => {
    const owner = { authorization: `Bearer ${api.session}` };
    const { body } = await api.call('POST', '/create-api-key', { name: scopes.join(), scopes }, owner);
    return { 'x-api-key': body.secret_key as string };
  };
  const needs = ({ operation }: Route) => (operation as { readonly 'x-needs'?: readonly string[] })['x-needs'] ?? [];

  it('are downloaded with the scope `weights` alone, and with every other scope but that one not at all', async () => {
    const path = `/felix/training-jobs/${jobId}/download`;
    expect((await api.call('GET', path, undefined, await keyOf(['weights']))).status).toBe(200);
    for (const query of ['', '?format=onnx', '?format=gguf', '?format=transformers']) {
      const { status, body } = await api.call('GET', path + query, undefined, without);
      expect([status, body.detail]).toEqual([403, expect.stringMatching(/weights/)]);
    }
  });

  it('have no address in what any other route answers about their job, evaluation or lineage', async () => {
    const { body } = await api.call('GET', `/felix/training-jobs/${jobId}/download`);
    const address = new URL(body.download_url as string);
    const unsigned = address.origin + address.pathname;
    const asked = routes.filter(
      ({ method, path, operation }) =>
        method === 'GET' &&
        !/download$|^\/objects/.test(path) &&
        !Object.values(operation.responses).some(({ content }) => content && 'text/event-stream' in content),
    );
    expect(asked.length).toBeGreaterThan(60);
    let answered = 0;
    for (const { path } of asked) {
      const filled = path.replaceAll(/\{(id|job_id|model_id|model)\}/g, jobId).replaceAll(/\{[^}]+\}/g, 'trips');
      const { status, text } = await answerOf(api.url + filled, without);
      answered += status === 200 ? 1 : 0;
      expect([path, text.includes(address.pathname), /[?&](x-amz-)?signature=/i.test(text)]).toEqual([
        path,
        false,
        false,
      ]);
    }
    expect(answered).toBeGreaterThan(30);
    // The object's own address opens nothing without the signature.
    for (const headers of [without, { 'x-api-key': api.key }])
      expect((await answerOf(unsigned, headers)).status).toBe(403);
  });

  it('are given to agents by no tool', () => {
    const tools = ROUTE_TOOLS.map(({ route }) => routes.find(({ method, path }) => `${method} ${path}` === route));
    expect(tools).not.toContain(undefined);
    expect(tools.filter((route) => needs(route!).includes('weights'))).toEqual([]);
  });

  async function answerOf(url: string, headers: Readonly<Record<string, string>>) {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
    return { status: response.status, text: await response.text() };
  }
});
