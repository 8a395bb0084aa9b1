import type { Answer, TestApi } from '#test/support/api.js';
import { settled } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

/** A table whose columns have names of their own, and numbers for classes. */
const TABLE = [
  'message,kind,ticket',
  ...Array.from({ length: 40 }, (_, row) => `Where is order ${row}?,${row % 2},T${row}`),
].join('\n');

describe('the preview of an uploaded file', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const uploaded = async (name: string, file: string, more: object = {}): Promise<string> => {
    const { body } = await api.call('POST', '/felix/datasets/upload/url', { dataset_name: name, ...more });
    await fetch(body.presigned_url, { method: 'PUT', body: file });
    return body.dataset_id as string;
  };
  const preview = (name: string, body: object = {}, key?: Record<string, string>): Promise<Answer> =>
    api.call('POST', `/felix/datasets/${name}/1/preview`, body, key);

  it('says why a file cannot be read, and which reading would', async () => {
    await uploaded('asked', TABLE, { filename: 'asked.csv' });
    const { status, body } = await preview('asked');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      rows: [],
      rows_read: 40,
      whole: true,
      processing_error: expect.stringContaining('40 rows are not valid'),
      row_errors: {
        total: expect.any(Number),
        reasons: expect.arrayContaining([expect.objectContaining({ rows: 40, first_row: 1 })]),
      },
      heads: [],
      labels: [],
      suggested: {
        column_mapping: { text: 'message', label: 'kind' },
        label_names: { kind: ['name of 0', 'name of 1'] },
      },
    });
    expect(body.columns).toEqual([
      { name: 'message', values: ['Where is order 0?', 'Where is order 1?', 'Where is order 2?'] },
      { name: 'kind', values: ['0', '1', '0'] },
      { name: 'ticket', values: ['T0', 'T1', 'T2'] },
    ]);
  });

  it('shows the rows as they would be stored, and processing with the same fields stores them so', async () => {
    const id = await uploaded('tried', TABLE, { filename: 'tried.csv', column_mapping: { text: 'nothing' } });
    const reading = {
      dataset_type: 'classification',
      format: 'csv',
      on_error: 'skip',
      column_mapping: { text: 'message', label: 'kind' },
      label_names: { kind: ['late', 'lost'] },
    };
    const { body } = await preview('tried', { ...reading, limit: 2 });
    expect(body).toMatchObject({
      rows: [
        { text: 'Where is order 0?', label: 'late', ticket: 'T0' },
        { text: 'Where is order 1?', label: 'lost', ticket: 'T1' },
      ],
      processing_error: null,
      left_out_rows: [],
      heads: ['classification'],
      labels: ['late', 'lost'],
      format: 'csv',
      read_as: expect.stringContaining('not used: "ticket"'),
      suggested: null,
    });
    await api.call('POST', '/felix/datasets/upload/process', { dataset_id: id, ...reading });
    const version = await settled(api, '/felix/datasets/tried/1');
    expect(version).toMatchObject({
      status: 'ready',
      dataset_type: 'classification',
      sample_size: 40,
      labels: ['late', 'lost'],
      read_as: body.read_as,
    });
    expect((await preview('tried')).status).toBe(409);
  });

  it('shows which rows would be left out, and fails where more are wrong than may be', async () => {
    const wrong = '{"text":"","label":"x"}';
    await uploaded('faulty', `{"text":"a","label":"x"}\n${wrong}\n`);
    const { body } = await preview('faulty');
    expect(body).toMatchObject({
      rows: [{ text: 'a', label: 'x' }],
      processing_error: expect.stringContaining('1 of 2 rows are not valid'),
      left_out: { rows: 1, of: 2, reasons: [{ reason: 'text is empty', rows: 1, first_row: 2 }] },
      left_out_rows: [{ row: 2, reason: 'text is empty', data: { text: '', label: 'x' } }],
    });
    expect((await preview('faulty', { on_error: 'skip' })).body.processing_error).toBeNull();
    expect((await preview('faulty', { on_error: 'fail' })).body.processing_error).toContain('at most 0 of 100');
  });

  it('reads only the beginning of a long file', async () => {
    const rows = Array.from(
      { length: 60_000 },
      (_, row) => `{"text":"order ${row} has not come yet","label":"late"}\n`,
    );
    await uploaded('long', rows.join(''));
    const { body } = await preview('long', { limit: 1 });
    expect(body).toMatchObject({ rows: [{ text: 'order 0 has not come yet', label: 'late' }], whole: false });
    expect(body.rows_read).toBeGreaterThan(200);
    expect(body.rows_read).toBeLessThan(60_000);
  });

  it('needs the file, a version of the workspace, and fields that a request for an address may have', async () => {
    await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'awaited' });
    const early = await preview('awaited');
    expect([early.status, early.body.detail ?? early.body]).toEqual([
      409,
      expect.stringContaining('nothing has been uploaded'),
    ]);
    const other = await sharedTestApi();
    expect((await other.call('POST', '/felix/datasets/awaited/1/preview', {})).status).toBe(404);
    await other.close();
    for (const body of [
      { dataset_type: 'records' },
      { format: 'docx' },
      { column_mapping: { nothing: 'a' } },
      { label_names: { a: [] } },
      { on_error: 'maybe' },
      { limit: 0 },
      { limit: 101 },
    ])
      expect([body, (await preview('awaited', body)).status]).toEqual([body, 422]);
  });
});
