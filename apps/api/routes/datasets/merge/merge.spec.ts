import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider } from '#domain/dataset/index.js';
import type { TestApi } from '#test/support/api.js';
import { settled, uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const classified = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, row) => ({ text: `${prefix} ${row} ä`, label: `${prefix}${row % 3}` }));
const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('POST /felix/datasets/merge', () => {
  let api: TestApi;
  const [first, second] = [classified(2500, 'a'), classified(700, 'b')];
  beforeAll(async () => {
    api = await sharedTestApi();
    await uploadDataset(api, { dataset_name: 'first', dataset_type: 'classification' }, jsonl(first));
    await uploadDataset(api, { dataset_name: 'second', dataset_type: 'classification' }, jsonl(second));
    await uploadDataset(api, { dataset_name: 'ner' }, '{"text":"a b","entities":[["a","x"]]}');
    await uploadDataset(
      api,
      { dataset_name: 'multi', dataset_type: 'classification' },
      '{"text":"a","labels":["x","y"]}',
    );
    await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'unready', dataset_type: 'classification' });
  });
  afterAll(() => api.close());

  const merge = (sources: unknown, output_name: unknown = 'out', headers?: Record<string, string>) =>
    api.call('POST', '/felix/datasets/merge', { sources, output_name }, headers);
  const named = (...names: string[]) => names.map((dataset_name) => ({ dataset_name }));
  const get = async (path: string) => (await api.call('GET', `/felix/datasets${path}`)).body;

  it('makes a version with all rows in order, and reports how many came from each source', async () => {
    const { status, body } = await merge(named('first', 'second'), 'both');
    expect([status, body]).toEqual([
      200,
      { dataset_name: 'both', version: '1', sample_size: 3200, source_counts: { first: 2500, second: 700 } },
    ]);
    expect(await get('/both/1')).toMatchObject({
      status: 'ready',
      dataset_type: 'classification',
      generation_type: 'merge',
      sample_size: 3200,
      labels: ['a0', 'a1', 'a2', 'b0', 'b1', 'b2'],
      format: 'jsonl',
      size: Buffer.byteLength(jsonl([...first, ...second])),
    });
    const file = await fetch(`${api.url}/felix/datasets/both/1/download`, { headers: { 'x-api-key': api.key } });
    expect(await file.text()).toBe(jsonl([...first, ...second]));
    for (const offset of [0, 999, 1000, 2499, 2500, 2999, 3000, 3190])
      expect((await get(`/both/1/preview?limit=10&offset=${offset}`)).rows).toEqual(
        [...first, ...second].slice(offset, offset + 10),
      );
  });

  it('into an existing name makes its next version, even if that dataset is among the sources', async () => {
    await merge(named('first', 'second'), 'again');
    const { body } = await merge([{ dataset_name: 'again', version: 1 }, { dataset_name: 'second' }], 'again');
    expect(body).toMatchObject({ version: '2', sample_size: 3900, source_counts: { again: 3200, second: 700 } });
  });

  it('records in the log which versions the rows come from', async () => {
    const { body } = await merge([{ dataset_name: 'first', version: '1' }, { dataset_name: 'second' }], 'logged');
    expect(body.version).toBe('1');
    const stream = datasetStreamId(api.workspaceId, 'logged');
    const events = await Array.fromAsync(api.application.ports.eventStore.readStream(`dataset-${stream}`));
    const requested = events.find(({ type }) => type === 'dataset-version-merge-requested.v1');
    expect(requested?.data['sources']).toMatchObject([
      { name: 'first', versionNumber: 1, rows: 2500 },
      { name: 'second', versionNumber: 1, rows: 700 },
    ]);
  });

  it('repeated with its Idempotency-Key is the same merge, even if a source has since been deleted', async () => {
    await uploadDataset(api, { dataset_name: 'passing', dataset_type: 'classification' }, jsonl(second));
    const headers = { 'x-api-key': api.key, 'idempotency-key': 'merge-once' };
    const once = await merge(named('first', 'passing'), 'once', headers);
    expect((await api.call('DELETE', '/felix/datasets/passing')).status).toBe(200);
    const again = await merge(named('first', 'passing'), 'once', headers);
    expect([again.status, again.body]).toEqual([once.status, once.body]);
    expect((await get('/once')).count).toBe(1);
    // The sources of the merge are unchanged.
    expect((await get('/once/1/preview?offset=2500&limit=1')).rows).toEqual([second[0]]);
  });

  it.each([
    [[], 'out', 'sources', 422],
    [[{ dataset_name: 'first' }], 'out', 'sources', 422],
    ['first', 'out', 'sources', 422],
    [['first', 'second'], 'out', 'sources', 422],
    [[{ dataset_name: 'first' }, {}], 'out', 'dataset_name', 422],
    [[{ dataset_name: 'first' }, { dataset_name: 'second', version: 'x' }], 'out', 'version', 422],
    [[{ dataset_name: 'first' }, { dataset_name: 'second', version: 0 }], 'out', 'version', 422],
    [[{ dataset_name: 'first' }, { dataset_name: 'second' }], 'a/b', 'output_name', 422],
    [[{ dataset_name: 'first' }, { dataset_name: 'second' }], null, 'output_name', 422],
    [[{ dataset_name: 'first' }, { dataset_name: 'ner' }], 'out', 'ner', 422],
    [[{ dataset_name: 'first' }, { dataset_name: 'multi' }], 'out', 'labels', 422],
    [[{ dataset_name: 'first' }, { dataset_name: 'nope' }], 'out', 'nope', 404],
    [[{ dataset_name: 'first' }, { dataset_name: 'second', version: 7 }], 'out', 'second/7', 404],
    [[{ dataset_name: 'first' }, { dataset_name: 'unready' }], 'out', 'initialized', 409],
    [[{ dataset_name: 'unready' }, { dataset_name: 'nope' }], 'out', 'nope', 404],
  ])('of %j into %j is refused, naming %s: %i', async (sources, output, named, status) => {
    const answer = await merge(sources, output);
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(named)]);
    expect((await api.call('GET', '/felix/datasets/out')).status).toBe(404);
  });

  it("fails when a source's rows are missing, and its version says so", async () => {
    await uploadDataset(api, { dataset_name: 'lost', dataset_type: 'classification' }, jsonl(second));
    const lost = await api.application.load(datasetDecider, datasetStreamId(api.workspaceId, 'lost'));
    const [version] = lost.versions;
    if (version?.status !== 'ready') throw new Error('not ready');
    await api.application.ports.objectStore.delete(version.object.key);
    const { status, body } = await merge(named('first', 'lost'), 'half');
    expect([status, body.detail]).toEqual([409, expect.stringContaining('no longer there')]);
    const left = await settled(api, '/felix/datasets/half/1');
    expect(left).toMatchObject({ status: 'failed', sample_size: 0 });
  });
});
