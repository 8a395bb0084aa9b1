import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const many = Array.from({ length: 1_005 }, (_, at) => ({ text: `text ${at}`, label: 'x' }));

describe('the difference of two versions of a dataset', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
    await uploadDataset(
      api,
      { dataset_name: 'visits' },
      jsonl([
        { text: 'Ada saw Ghent', entities: [['Ghent', 'city']] },
        { text: 'Bo left Lyon', entities: [['Lyon', 'city']] },
        { text: 'Cy stays', entities: [] },
      ]),
    );
    await uploadDataset(
      api,
      { dataset_name: 'visits' },
      jsonl([
        { text: 'Cy stays', entities: [] },
        { text: 'Ada saw Ghent', entities: [['Ghent', 'city'], ['Ada', 'person']] }, // prettier-ignore
        { text: 'Di came', entities: [['Di', 'person']] },
      ]),
    );
    await uploadDataset(api, { dataset_name: 'long' }, jsonl(many.slice(0, 1)));
    await uploadDataset(api, { dataset_name: 'long' }, jsonl(many));
  });
  afterAll(() => api.close());

  const diff = (path: string, headers?: Record<string, string>) =>
    api.call('GET', `/felix/datasets/${path}`, undefined, headers);

  it('counts and names the rows that were added, removed and relabelled', async () => {
    const { status, body } = await diff('visits/2/diff');
    expect(status).toBe(200);
    expect(body).toEqual({
      dataset_name: 'visits',
      version_number: '2',
      from_version: '1',
      added: 1,
      removed: 1,
      changed: 1,
      unchanged: 1,
      compared_rows: 3,
      from_compared_rows: 3,
      total: 3,
      truncated: false,
      changes: [
        { kind: 'changed', from_row: 1, row: 2 },
        { kind: 'added', from_row: null, row: 3 },
        { kind: 'removed', from_row: 2, row: null },
      ],
    });
    expect((await diff('visits/latest/diff?from=1')).body).toEqual(body);
    expect((await diff('visits/1/diff?from=2&kind=added')).body.changes).toEqual([
      { kind: 'added', from_row: null, row: 2 },
    ]);
  });

  it('is listed in pages, up to a limit that it reports', async () => {
    const { body } = await diff('long/2/diff?kind=added&limit=2&offset=998');
    expect(body).toMatchObject({ added: 1_004, total: 1_000, truncated: true });
    expect(body.changes.map(({ row }: { row: number }) => row)).toEqual([1_000, 1_001]);
  });

  it('is 404 for a version that is missing, and 409 for one that is not ready', async () => {
    for (const path of ['visits/2/diff?from=7', 'visits/7/diff?from=1', 'none/2/diff'])
      expect([path, (await diff(path)).status]).toEqual([path, 404]);
    await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'visits' });
    expect((await diff('visits/3/diff')).status).toBe(409);
  });

  it.each([
    ['1/diff', 422, 'before version 1'],
    ['2/diff?from=2', 422, 'the version itself'],
    ['2/diff?from=0', 422, 'from'],
    ['2/diff?from=one', 400, 'from'],
    ['2/diff?kind=other', 400, 'kind'],
    ['2/diff?limit=101', 422, 'limit'],
  ])('refuses %s, and says why', async (path, status, said) => {
    const answer = await diff(`visits/${path}`);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(said)]);
  });
});
