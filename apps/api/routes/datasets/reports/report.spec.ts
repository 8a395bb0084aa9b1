import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('the report on a dataset version', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
    await uploadDataset(
      api,
      { dataset_name: 'tickets' },
      jsonl([
        { text: 'Where is my order?', entities: [], label: 'delivery' },
        { text: 'where is my order', label: 'billing' },
        { text: 'Where is my order?', label: 'delivery' },
        { text: 'It went to Lyonnaise', entities: [['Lyon', 'city']] },
        { text: 'nothing at all', entities: [] },
      ]),
    );
    await uploadDataset(api, { dataset_name: 'held' }, jsonl([{ text: 'WHERE is my order', label: 'delivery' }]));
  });
  afterAll(() => api.close());

  const report = (path: string, headers?: Record<string, string>) =>
    api.call('GET', `/felix/datasets/${path}`, undefined, headers);

  it('reports what a model would learn, and what would mislead it', async () => {
    const { status, body } = await report('tickets/1/report');
    expect(status).toBe(200);
    expect(body).toEqual({
      dataset_name: 'tickets',
      version_number: '1',
      read_as: null,
      rows: 5,
      rows_without_text: 0,
      compared_rows: 5,
      heads: [
        {
          head: 'entities',
          rows: 3,
          empty_rows: 2,
          labels: { total: 1, truncated: false, labels: [{ label: 'city', rows: 1, count: 1 }] },
        },
        {
          head: 'classification',
          rows: 3,
          empty_rows: 0,
          labels: {
            total: 2,
            truncated: false,
            labels: [
              { label: 'delivery', rows: 2, count: 2 },
              { label: 'billing', rows: 1, count: 1 },
            ],
          },
        },
      ],
      unlabelled: { total: 1, truncated: false, rows: [5] },
      exact_duplicates: { total: 1, truncated: false, rows: [{ row: 3, same_as: 1 }] },
      normalised_duplicates: { total: 1, truncated: false, rows: [{ row: 2, same_as: 1 }] },
      conflicts: { total: 1, truncated: false, rows: [{ row: 2, same_as: 1, head: 'classification' }] },
      rare_labels: {
        min_rows: 10,
        total: 3,
        truncated: false,
        labels: [
          { head: 'classification', label: 'billing', rows: 1 },
          { head: 'entities', label: 'city', rows: 1 },
          { head: 'classification', label: 'delivery', rows: 2 },
        ],
      },
      similar_labels: { total: 0, truncated: false, groups: [] },
      one_class: false,
      characters: { rows: 5, min: 14, p50: 18, p90: 20, p99: 20, max: 20 },
      tokens: { rows: 5, min: 3, p50: 4, p90: 5, p99: 5, max: 5 },
      unaligned_spans: {
        total: 1,
        truncated: false,
        not_found: 0,
        blank: 0,
        overlapping: 0,
        within_token: 1,
        spans: [{ row: 4, label: 'city', text: 'Lyon', fault: 'within_token' }],
      },
      repeated_annotations: { total: 0, truncated: false, annotations: [] },
      held_out: null,
    });
    // The kept report is the same.
    expect((await report('tickets/latest/report')).body).toEqual(body);
  });

  it('names labels that are nearly the same, and a class that stands alone', async () => {
    const rows = (...labels: readonly string[]) => jsonl(labels.map((label, row) => ({ text: `row ${row}`, label })));
    await uploadDataset(api, { dataset_name: 'spelled' }, rows('Gig', 'gig', 'gig', 'home'));
    await uploadDataset(api, { dataset_name: 'alone' }, rows('gig', 'gig'));
    expect((await report('spelled/1/report')).body).toMatchObject({
      similar_labels: { total: 1, truncated: false, groups: [{ head: 'classification', labels: ['gig', 'Gig'] }] },
      one_class: false,
    });
    expect((await report('alone/1/report')).body).toMatchObject({ similar_labels: { total: 0 }, one_class: true });
  });

  it('names the rows that a held-out version contains too', async () => {
    const expected = {
      dataset_name: 'held',
      version_number: '1',
      rows: 1,
      compared_rows: 1,
      leaked_rows: 1,
      total: 3,
      exact: 0,
      truncated: false,
      leaks: [1, 2, 3].map((row) => ({ row, held_out_row: 1, exact: false })),
    };
    for (const name of ['held', 'held/1', 'held/latest']) {
      const { status, body } = await report(`tickets/1/report?held_out=${name}`);
      expect([status, body.rows, body.held_out]).toEqual([200, 5, expected]);
    }
  });

  it('lists only part of the rows that it counts, and says so', async () => {
    const rows = Array.from({ length: 250 }, () => ({ text: 'again', label: 'x' }));
    await uploadDataset(api, { dataset_name: 'repeated' }, jsonl(rows));
    const { exact_duplicates: found } = (await report('repeated/1/report')).body as {
      exact_duplicates: { total: number; truncated: boolean; rows: readonly object[] };
    };
    expect([found.total, found.truncated, found.rows.length]).toEqual([249, true, 100]);
  });

  it('is 409 while either version is not ready', async () => {
    await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'unready' });
    for (const path of ['unready/1/report', 'tickets/1/report?held_out=unready/1']) {
      const { status, body } = await report(path);
      expect([status, body.detail]).toEqual([409, expect.stringContaining('initialized')]);
    }
  });

  it('is 404 for a version that is missing, and for a held-out one of another workspace', async () => {
    for (const path of ['nope/1/report', 'tickets/7/report', 'tickets/1/report?held_out=nope'])
      expect([path, (await report(path)).status]).toEqual([path, 404]);
    const { key } = await api.colleague();
    const other = { 'x-api-key': key };
    await uploadDataset(api, { dataset_name: 'theirs' }, jsonl([{ text: 'a', label: 'x' }]), other);
    expect((await report('theirs/1/report?held_out=tickets/1', other)).status).toBe(404);
  });

  it.each([
    ['held_out=', 422, 'held_out'],
    ['held_out=held/0', 422, 'held_out'],
    ['held_out=a/b/1', 422, 'held_out'],
    ['held_out=tickets', 422, 'held_out'],
    ['held_out=held&held_out=held', 400, 'held_out'],
    ['limit=5', 422, 'limit'],
  ])('with ?%s is %i, naming %s', async (query, status, named) => {
    const answer = await report(`tickets/1/report?${query}`);
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(named)]);
  });

  it('is 400 for a version that is not a number, and 401 without a key', async () => {
    expect((await report('tickets/x/report')).status).toBe(400);
    expect((await report('tickets/1/report', {})).status).toBe(401);
  });
});
