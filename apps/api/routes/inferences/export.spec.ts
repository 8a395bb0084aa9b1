import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '#application/caller.js';
import { identifier, openDuckDb, text } from '#rows/formats/duckdb/confined.js';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import {
  EXPORT_COLUMNS,
  EXPORT_PAGE,
  ExportInferences,
  ExportInferencesHandler,
} from '#use-cases/inferences/queries/export.js';
import type { History } from '#use-cases/inferences/history.js';
import type { RecordReader } from '#use-cases/inferences/record-reader.js';

const model_id = 'anneal/encoder-base-v1';
const CALLS = EXPORT_PAGE + 5;

/** Two columns of a Parquet file. */
async function parquetRows(content: Buffer): Promise<readonly Record<string, unknown>[]> {
  const folder = await mkdtemp(join(tmpdir(), 'export-'));
  const path = join(folder, 'calls.parquet');
  await writeFile(path, content);
  const { connection, close } = await openDuckDb({ folder, memoryMiB: 256, threads: 1 });
  try {
    const columns = ['id', 'human_corrected_output'].map(identifier).join(', ');
    return (await connection.runAndReadAll(`SELECT ${columns} FROM read_parquet(${text(path)})`)).getRowObjects();
  } finally {
    close();
    await rm(folder, { recursive: true });
  }
}

describe('an export of recorded calls', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
    const calls = await Promise.all(
      Array.from({ length: CALLS }, (_, n) =>
        api.call('POST', '/inference', { model_id, schema: ['person'], text: `Maria, "${n}"\nleft.` }),
      ),
    );
    const corrected_output = { entities: { person: ['left'] } };
    const { inference_id: id } = calls[3]!.body;
    await api.call('POST', `/inferences/${id}/feedback`, { verdict: 'incorrect', corrected_output, notes: '=1+1' });
    await api.drained();
  });
  afterAll(() => api.close());

  const download = async (query: string) => {
    const answer = await fetch(`${api.url}/inferences/export?${query}`, { headers: { 'x-api-key': api.key } });
    return { answer, content: Buffer.from(await answer.arrayBuffer()) };
  };
  const listed = async (query = '') => (await api.call('GET', `/inferences?limit=500${query}`)).body.inferences;
  const jsonl = (content: Buffer): unknown[] =>
    content
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);

  it('as JSON lines has the records of the list, newest first, over several pages', async () => {
    const { answer, content } = await download('format=jsonl');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="inferences-\d{8}T\d{6}Z\.jsonl"$/,
    );
    expect(jsonl(content)).toMatchObject(await listed());
    for (const record of jsonl(content))
      expect(EXPORT_COLUMNS).toEqual(expect.arrayContaining(Object.keys(record as object)));
  });

  it('as a table has a column for each field that a record may have', async () => {
    const { paths, components } = (await api.call('GET', '/openapi.json')).body;
    const list = paths['/inferences'].get.responses['200'].content['application/json'].schema.$ref as string;
    const fieldsOf = (ref: string) =>
      components.schemas[ref.split('/').at(-1)!].properties as Record<
        string,
        { readonly items: { readonly $ref: string } }
      >;
    const fields = Object.keys(fieldsOf(fieldsOf(list)['inferences']!.items.$ref));
    expect(fields).toContain('shadow_of');
    expect(fields.filter((field) => !EXPORT_COLUMNS.includes(field))).toEqual([]);
  });

  it('takes the filters of the list, and refuses unknown ones', async () => {
    const { content } = await download('verdict=incorrect&label=person');
    expect(jsonl(content)).toMatchObject(await listed('&verdict=incorrect'));
    const reviewer = expect.stringMatching(/^key:/);
    const verdicts = [{ reviewer, verdict: 'incorrect', notes: '=1+1' }];
    expect(jsonl(content)).toMatchObject([{ key_id: expect.any(String), human_feedback_by: reviewer, verdicts }]);
    // A spreadsheet must not run it.
    expect((await download('format=csv&verdict=incorrect')).content.toString()).toContain(`,'=1+1,`);
    expect(jsonl(content)).toHaveLength(1);
    expect(jsonl((await download('verdict=correct')).content)).toEqual([]);
    for (const query of ['format=xlsx', 'colour=red', 'project_id=none'])
      expect((await download(query)).answer.status).toBeGreaterThanOrEqual(400);
  });

  it('as CSV and as Parquet has the same calls as a table', async () => {
    const ids = (await listed()).map(({ id }: { readonly id: string }) => id);
    const csv = await download('format=csv');
    expect(csv.content.toString().split('\r\n')[0]).toBe(EXPORT_COLUMNS.join(','));
    expect(ids.filter((id: string) => !csv.content.includes(id))).toEqual([]);
    expect(csv.content.toString()).toContain('""text"":""Maria, \\""3\\""\\nleft.""');
    const parquet = await download('format=parquet');
    expect(parquet.answer.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    expect([parquet.content.subarray(0, 4), parquet.content.subarray(-4)].map(String)).toEqual(['PAR1', 'PAR1']);
    const rows = await parquetRows(parquet.content);
    expect(rows.map(({ id }) => id)).toEqual(ids);
    const corrected = rows.flatMap((row) => row['human_corrected_output'] ?? []) as string[];
    expect(corrected.map((json) => JSON.parse(json) as unknown)).toEqual([{ entities: { person: ['left'] } }]);
  });

  it('stops when its client disconnects, and reads no further than the client', async () => {
    let pages = 0;
    const history = {
      page: async () => ({
        documents: [{ id: `${(pages += 1)}`, whole: null, feedback: null }],
        total: 1e9,
        hasMore: true,
      }),
    } as unknown as History;
    const reader = { list: async () => [{ text: 'x'.repeat(100_000) }] } as unknown as RecordReader;
    const handler = new ExportInferencesHandler(history, reader);
    const exported = new ExportInferences({ workspaceId: 'w' } as Caller, {}, new AbortController().signal);
    const content = await handler.execute(exported);
    await once(content, 'readable');
    content.read();
    content.destroy();
    await once(content, 'close');
    expect(pages).toBeLessThan(50);
  });
});
