import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const good = (row: number) => JSON.stringify({ text: `text ${row}`, label: row % 2 ? 'odd' : 'even' });
const wrong = '{"text": "", "label": "odd"}';
/** Two of these rows are wrong. */
const fileOf = (rows: number) =>
  Array.from({ length: rows }, (_, row) => (row === 3 || row === 7 ? wrong : good(row))).join('\n');
const reasons = [{ reason: 'text is empty', rows: 2, first_row: 4 }];

describe('rows of an uploaded file that are not valid', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const upload = (name: string, file: string, more: object = {}) =>
    uploadDataset(api, { dataset_name: name, dataset_type: 'classification', filename: 'a.jsonl', ...more }, file);
  const leftOut = (path: string, init: RequestInit = {}, key = api.key) =>
    fetch(`${api.url}/felix/datasets/${path}/left-out`, { ...init, headers: { 'x-api-key': key, ...init.headers } });

  it('are left out if the request says so: the version tells of them, and lists them', async () => {
    expect(await upload('skipping', fileOf(10), { on_error: 'skip' })).toMatchObject({
      status: 'ready',
      sample_size: 8,
      read_as: '2 of 10 rows left out, not valid',
      left_out: { rows: 2, unlabelled: 0, of: 10, reasons, listed: 2 },
    });
    const list = await leftOut('skipping/latest');
    expect(list.status).toBe(200);
    expect(list.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(list.headers.get('content-disposition')).toContain('skipping-v1-left-out.jsonl');
    const text = await list.text();
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { row: 4, reason: 'text is empty', data: { text: '', label: 'odd' } },
      { row: 8, reason: 'text is empty', data: { text: '', label: 'odd' } },
    ]);
    const part = await leftOut('skipping/1', { headers: { range: 'bytes=0-6' } });
    expect([part.status, await part.text()]).toEqual([206, text.slice(0, 7)]);
    expect((await leftOut('skipping/1', { headers: { range: 'bytes=9999-' } })).status).toBe(416);
    const stored = await fetch(`${api.url}/felix/datasets/skipping/1/download`, { headers: { 'x-api-key': api.key } });
    expect(await stored.text()).toBe(
      `${fileOf(10)
        .split('\n')
        .filter((line) => line !== wrong)
        .join('\n')}\n`,
    );
    const events = await Array.fromAsync(
      api.application.ports.eventStore.readAll({ filter: { types: ['dataset-version-ready.v1'] } }),
    );
    const told = events.map(({ data }) => data as { leftOut?: { list: { size: number } } });
    expect(told).toContainEqual(expect.objectContaining({ leftOut: expect.objectContaining({ rows: 2, of: 10 }) }));
    expect(told.find((data) => data.leftOut?.list.size === Buffer.byteLength(text))).toBeDefined();
  });

  it('are left out if they are few and the request says nothing, and never if it says fail', async () => {
    expect(await upload('few', fileOf(40))).toMatchObject({
      status: 'ready',
      sample_size: 38,
      read_as: '2 of 40 rows left out, not valid',
    });
    for (const [name, rows, more] of [
      ['many', 39, {}],
      ['strict', 40, { on_error: 'fail' }],
    ] as const) {
      const failed = await upload(name, fileOf(rows), more);
      expect(failed).toMatchObject({
        status: 'failed',
        processing_error: '2 rows are not valid; row 4: text is empty',
        row_errors: { total: 2, reasons },
      });
      expect(failed).not.toHaveProperty('left_out');
      expect((await leftOut(`${name}/1`)).status).toBe(409);
    }
  });

  it('are none in most versions: the list is then empty', async () => {
    expect(await upload('whole', good(1))).not.toHaveProperty('left_out');
    const list = await leftOut('whole/1');
    expect([list.status, await list.text()]).toEqual([200, '']);
  });

  it('are refused an unknown treatment by name', async () => {
    const { status, body } = await api.call('POST', '/felix/datasets/upload/url', {
      dataset_name: 'x',
      on_error: 'ignore',
    });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('on_error')]);
    const pull = { repo_id: 'a/b', dataset_name: 'x', dataset_type: 'ner', on_error: 'ignore' };
    const pulled = await api.call('POST', '/felix/datasets/pull-from-hub', pull);
    expect([pulled.status, JSON.stringify(pulled.body)]).toEqual([422, expect.stringContaining('on_error')]);
  });

  it('are invisible to another workspace', async () => {
    await upload('private', fileOf(10), { on_error: 'skip' });
    const other = await sharedTestApi();
    expect((await leftOut('private/1', {}, other.key)).status).toBe(404);
    await other.close();
  });

  it('are no rows without a label, which are told apart', async () => {
    const file = `${good(0)}\n{"text": "no gold label", "label": -1}`;
    const version = await upload('gold', file, { label_names: { label: ['none'] }, on_error: 'fail' });
    expect(version).toMatchObject({
      status: 'ready',
      sample_size: 1,
      read_as: '1 of 2 rows left out, without a label',
      left_out: { rows: 1, unlabelled: 1, reasons: [{ reason: 'has no label', rows: 1, first_row: 2 }] },
    });
  });
});
