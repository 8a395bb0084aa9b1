import { gzipSync } from 'node:zlib';
import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import { onServers } from '#test/deployments/test-api.js';
import { anotherApi } from '#test/support/another-api.js';
import type { TestApi } from '#test/support/api.js';
import { settled, uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const rows = [
  {
    text: 'Ada flew to Paris',
    entities: [
      ['Ada', 'person'],
      ['Paris', 'city'],
    ],
    label: 'travel',
  },
  { text: 'nothing, "really"', entities: [], label: 'none' },
];
const jsonl = rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('datasets', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const begin = (body: unknown) => api.call('POST', '/felix/datasets/upload/url', body);
  const put = (address: string, content: string) => fetch(address, { method: 'PUT', body: content });
  const processUpload = (id: unknown) => api.call('POST', '/felix/datasets/upload/process', { dataset_id: id });
  const get = (path: string, headers?: Record<string, string>) =>
    api.call('GET', `/felix/datasets${path}`, undefined, headers);

  const download = (path: string) => fetch(`${api.url}/felix/datasets${path}`, { headers: { 'x-api-key': api.key } });
  interface Listed {
    readonly name: string;
    readonly version_number: string;
  }
  const listed = async (query: string) => (await get(query)).body.datasets as readonly Listed[];

  describe('upload/url', () => {
    it('returns an absolute address, the id and the number of a new version', async () => {
      const { status, body } = await begin({ dataset_name: 'first steps' });
      expect(status).toBe(200);
      expect(body).toEqual({
        presigned_url: expect.stringMatching(`^${api.objectsUrl}/`),
        upload_url: body.presigned_url,
        dataset_id: expect.any(String),
        dataset_name: 'first steps',
        version_number: '1',
        expires_in: 3600,
      });
      const again = await begin({ dataset_name: 'first steps' });
      expect(again.body.version_number).toBe('2');
      expect(again.body.dataset_id).not.toBe(body.dataset_id);
    });

    it('repeated with its Idempotency-Key returns the same version, in whatever state it is', async () => {
      const headers = { 'x-api-key': api.key, 'idempotency-key': 'upload-once' };
      const upload = (name: string) =>
        api.call('POST', '/felix/datasets/upload/url', { dataset_name: name, column_mapping: { text: 'x' } }, headers);
      const { body } = await upload('once');
      await begin({ dataset_name: 'once' });
      await api.call('DELETE', '/felix/datasets/once');
      const again = await upload('once');
      expect([again.status, again.body]).toMatchObject([
        200,
        { dataset_id: body.dataset_id, version_number: '1', dataset_name: 'once' },
      ]);
      expect((await upload('other')).status).toBe(422);
    });

    it('never takes the address from the Host header', async () => {
      const headers = { 'x-api-key': api.key, 'x-forwarded-host': 'evil.example', host: 'evil.example' };
      const { body } = await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'host' }, headers);
      expect(body.presigned_url).toMatch(`${api.objectsUrl}/`);
    });

    it.each([
      [{}, 'dataset_name', 'missing'],
      [{ dataset_name: 5 }, 'dataset_name', 'wrong_type'],
      [{ dataset_name: '' }, 'dataset_name', undefined],
      [{ dataset_name: 'a/b' }, 'dataset_name', undefined],
      [{ dataset_name: 'x'.repeat(129) }, 'dataset_name', undefined],
      [{ dataset_name: 'a', dataset_type: 'records' }, 'dataset_type', 'not_allowed'],
      [{ dataset_name: 'a', dataset_type: 'fields' }, 'dataset_type', 'not_allowed'],
      [{ dataset_name: 'a', dataset_type: 7 }, 'dataset_type', 'not_allowed'],
      [{ dataset_name: 'a', type: 'benchmark' }, 'type', 'not_allowed'],
      [{ dataset_name: 'a', format: 'xml' }, 'format', 'not_allowed'],
      [{ dataset_name: 'a', filename: ['a'] }, 'filename', 'wrong_type'],
      [{ dataset_name: 'a', project_id: 5 }, 'project_id', 'wrong_type'],
      [{ dataset_name: 'a', column_mapping: 'text' }, 'column_mapping', undefined],
      [{ dataset_name: 'a', column_mapping: { colour: 'x' } }, 'column_mapping', undefined],
      [{ dataset_name: 'a', column_mapping: { text: 5 } }, 'column_mapping', undefined],
      [{ dataset_name: 'a', column_mapping: { text: 'x', label: 'x' } }, 'column_mapping', undefined],
      [{ dataset_name: 'a', label_names: ['label'] }, 'label_names', undefined],
      [{ dataset_name: 'a', label_names: { label: 'x' } }, 'label_names', undefined],
      [{ dataset_name: 'a', label_names: { label: [] } }, 'label_names', undefined],
      [{ dataset_name: 'a', label_names: { label: ['a', 'a'] } }, 'label_names', undefined],
      [{ dataset_name: 'a', label_names: { '': ['a', 'b'] } }, 'label_names', undefined],
    ])('refuses %j as 422, naming the field', async (body, field, type) => {
      const answer = await begin(body);
      expect(answer.status).toBe(422);
      expect(answer.body.detail).toContain(field);
      expect(answer.body.errors[0]).toMatchObject({ loc: ['body', field], ...(type && { type }) });
    });

    it('answers 404 when the project is unknown, and 400 when the body is not JSON', async () => {
      expect((await begin({ dataset_name: 'a', project_id: 'nope' })).status).toBe(404);
      expect((await begin('{')).status).toBe(400);
      expect((await begin('[]')).status).toBe(422);
    });
  });

  describe('a file in the layout of another tool', () => {
    const file = '{"text":"Ada flew to Paris","entities":[[0,3,"person"],[12,17,"city"]]}\n';

    it('is recognised by its rows, and the record and the report name its layout', async () => {
      await uploadDataset(api, { dataset_name: 'offsets' }, file);
      const { body } = await get('/offsets/1');
      expect(body).toMatchObject({ status: 'ready', format: 'jsonl', read_as: 'texts with spans, 1 rows' });
      expect((await get('/offsets/1/report')).body).toMatchObject({ read_as: body.read_as });
      expect((await get('/offsets/1/preview')).body.rows).toEqual([
        {
          text: 'Ada flew to Paris',
          entities: [
            { text: 'Ada', label: 'person', start: 0 },
            { text: 'Paris', label: 'city', start: 12 },
          ],
        },
      ]);
    });

    it('is read in the layout that `format` names, regardless of its rows', async () => {
      const own = await uploadDataset(api, { dataset_name: 'own', format: 'rows' }, file);
      expect(own).toMatchObject({
        status: 'failed',
        processing_error: expect.stringMatching(/must be \[span, label\]/),
      });
      const { status, body } = await begin({ dataset_name: 'own', format: 'doc' });
      expect([status, body.detail]).toEqual([
        422,
        expect.stringMatching(/^format: must be one of json, .*, rows, label-studio, /),
      ]);
    });
  });

  describe('upload/process', () => {
    it('is 409 naming the state before the PUT, 202 after it, and 202 with the current record when repeated', async () => {
      const { body } = await begin({ dataset_name: 'sealed' });
      const early = await processUpload(body.dataset_id);
      expect(early.status).toBe(409);
      expect(early.body.detail).toContain('initialized');
      expect((await put(body.presigned_url, '{"text":"to be replaced"}')).status).toBe(200);
      expect((await put(body.presigned_url, jsonl)).status).toBe(200);
      const processed = await processUpload(body.dataset_id);
      expect(processed.status).toBe(202);
      expect(processed.body).toMatchObject({
        id: body.dataset_id,
        dataset_id: body.dataset_id,
        status: 'uploading',
        size: jsonl.length,
      });
      // Refused, or ignored on S3: the version is what was sealed.
      expect((await put(body.presigned_url, 'too late')).status).toBe(onServers() ? 200 : 409);
      const ready = await settled(api, '/felix/datasets/sealed/1');
      expect(ready).toMatchObject({ status: 'ready', sample_size: 2 });
      const again = await processUpload(body.dataset_id);
      expect([again.status, again.body]).toEqual([202, ready]);
    });

    it('seals an upload once when requests arrive at the same time', async () => {
      const { body } = await begin({ dataset_name: 'twice' });
      await put(body.presigned_url, jsonl);
      const answers = await Promise.all([1, 2, 3].map(() => processUpload(body.dataset_id)));
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      expect(await settled(api, '/felix/datasets/twice/1')).toMatchObject({ status: 'ready' });
    });

    it('is 413 for an upload that exceeds its announced size, and accepts a smaller replacement', async () => {
      const small = await anotherApi(api, { uploadMaxBytes: jsonl.length });
      const { objectStore } = api.application.ports;
      const { body } = await small.call('POST', '/felix/datasets/upload/url', { dataset_name: 'unbounded' });
      const processed = () => small.call('POST', '/felix/datasets/upload/process', { dataset_id: body.dataset_id });
      await put(body.presigned_url, jsonl);
      // Simulates S3, where a PUT may exceed the announced size.
      const uploads = await Array.fromAsync(objectStore.list('uploads/'));
      const { key } = uploads.find((each) => each.key.includes(body.dataset_id))!;
      await objectStore.put(key, Buffer.from(`${jsonl} `));
      const refused = await processed();
      expect(refused.status).toBe(413);
      expect(refused.body.detail).toContain(`larger than ${jsonl.length} bytes`);
      await put(body.presigned_url, jsonl);
      expect((await processed()).status).toBe(202);
      expect(await settled(api, '/felix/datasets/unbounded/1')).toMatchObject({ status: 'ready' });
      await small.close();
    });

    it('is 503 while the object store is down, and works afterwards', async () => {
      const { objectStore } = api.application.ports;
      const { body } = await begin({ dataset_name: 'outage' });
      await put(body.presigned_url, jsonl);
      const seal = objectStore.seal.bind(objectStore);
      objectStore.seal = () => Promise.reject(new ObjectStoreUnavailableError('away'));
      const refused = await processUpload(body.dataset_id);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      objectStore.seal = seal;
      expect((await processUpload(body.dataset_id)).status).toBe(202);
      expect(await settled(api, '/felix/datasets/outage/1')).toMatchObject({ status: 'ready' });
    });

    it.each([
      [{}, 422],
      [{ dataset_id: 5 }, 422],
      [{ dataset_id: '' }, 422],
      [{ dataset_id: 'nope' }, 404],
      [{ dataset_id: '0190f3c4-0000-7000-8000-000000000000' }, 404],
    ])('refuses %j as %i', async (body, status) => {
      const answer = await api.call('POST', '/felix/datasets/upload/process', body);
      expect(answer.status).toBe(status);
      expect(typeof answer.body.detail).toBe('string');
    });
  });

  describe('a version', () => {
    it('has its complete record, by number and as latest', async () => {
      const uploaded = await uploadDataset(api, { dataset_name: 'trips', filename: 'a.json' }, JSON.stringify(rows));
      expect(uploaded).toEqual({
        id: expect.any(String),
        dataset_id: uploaded.id,
        name: 'trips',
        dataset_name: 'trips',
        dataset_type: 'ner',
        heads: ['entities', 'classification'],
        type: 'training',
        version_number: '1',
        status: 'ready',
        processing_error: null,
        sample_size: 2,
        size: jsonl.length,
        labels: ['city', 'person', 'none', 'travel'],
        format: 'json',
        read_as: null,
        generation_type: 'upload',
        project_id: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: expect.any(String),
      });
      expect((await get('/trips/latest')).body).toEqual(uploaded);
    });

    it('lists the heads in its rows, whatever its type', async () => {
      const records = [{ text: 'Ada flew', json_structures: [{ trip: { who: 'Ada' } }] }];
      const relations = [{ text: 'Ada met Bob', relations: [{ met: { head: 'Ada', tail: 'Bob' } }] }];
      const chat = [
        {
          messages: [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: 'Ho' },
          ],
        },
      ];
      const headsOf = async (dataset_name: string, dataset_type: string, content: object[]) =>
        (await uploadDataset(api, { dataset_name, dataset_type, filename: 'a.json' }, JSON.stringify(content))).heads;
      expect(await headsOf('a-records', 'ner', records)).toEqual(['structures']);
      expect(await headsOf('b-both', 'classification', [...records, ...relations])).toEqual([
        'structures',
        'relations',
      ]);
      expect(await headsOf('c-chat', 'decoder', chat)).toEqual(['messages']);
      const pair = [{ prompt: 'Hi', chosen: 'Ho', rejected: 'No' }];
      expect(await headsOf('e-pairs', 'decoder', pair)).toEqual(['preferences']);
      const { body: preview } = await get('/e-pairs/latest/preview');
      expect(preview.rows).toEqual([{ prompt: [{ role: 'user', content: 'Hi' }], chosen: 'Ho', rejected: 'No' }]);
      expect(await headsOf('d-free', 'custom', [{ note: 'x' }])).toEqual([]);
      for (const name of ['a-records', 'b-both', 'c-chat', 'd-free', 'e-pairs'])
        await api.call('DELETE', `/felix/datasets/${name}`);
    });

    it('gives the reason for a failure, row by row', async () => {
      const failed = await uploadDataset(
        api,
        { dataset_name: 'broken' },
        `${jsonl}{"text":"x","entities":[["y","z"]]}`,
      );
      expect(failed).toMatchObject({
        status: 'failed',
        processing_error:
          'row 3: entities[0] "y" does not occur in text; a span must be copied from it letter by letter',
        row_errors: { total: 1, rows: [{ row: 3, field: 'entities[0]' }] },
        sample_size: 0,
      });
    });

    it.each(['x', '1.5', '-1', 'Latest', 'v1'])('is 400 for the version %j', async (version) => {
      for (const rest of ['', '/preview', '/download'])
        expect((await get(`/trips/${version}${rest}`)).status).toBe(400);
    });

    it('is 404 when it does not exist', async () => {
      for (const path of [
        '/nope',
        '/nope/1',
        '/nope/latest',
        '/trips/2',
        '/trips/0',
        '/trips/999999999999999',
        `/trips/${'9'.repeat(400)}`,
        '/%00/1',
        '/ä',
      ])
        expect([path, (await get(path)).status]).toEqual([path, 404]);
      for (const rest of ['preview', 'download']) expect((await get(`/nope/latest/${rest}`)).status).toBe(404);
    });
  });

  describe('latest', () => {
    it('is the highest number for status, the newest ready one for content', async () => {
      await uploadDataset(api, { dataset_name: 'many' }, jsonl);
      await uploadDataset(api, { dataset_name: 'many' }, 'text,label\nsecond,x\n');
      await uploadDataset(api, { dataset_name: 'many' }, '');
      await begin({ dataset_name: 'many' });
      expect((await get('/many/latest')).body).toMatchObject({ version_number: '4', status: 'initialized' });
      expect((await get('/many/latest/preview')).body.rows).toEqual([{ text: 'second', label: 'x' }]);
      const { body } = await get('/many');
      expect(body).toMatchObject({ success: true, count: 4 });
      expect(body.versions).toMatchObject([
        { version_number: '4', status: 'initialized' },
        { version_number: '3', status: 'failed', processing_error: 'the file is empty' },
        { version_number: '2', status: 'ready' },
        { version_number: '1', status: 'ready' },
      ]);
      const shown = (await listed('')).find(({ name }) => name === 'many');
      expect(shown).toMatchObject({ version_number: '4', version_count: 4 });
    });

    it.each(['preview', 'download'])('%s of a version that is not ready is 409 naming the state', async (rest) => {
      await begin({ dataset_name: 'unready' });
      for (const version of ['1', 'latest']) {
        const { status, body } = await get(`/unready/${version}/${rest}`);
        expect(status).toBe(409);
        expect(body.detail).toContain('initialized');
      }
    });
  });

  describe('the list', () => {
    it('leaves failed versions out unless asked', async () => {
      await uploadDataset(api, { dataset_name: 'mixed' }, jsonl);
      await uploadDataset(api, { dataset_name: 'mixed' }, 'no');
      await uploadDataset(api, { dataset_name: 'all failed' }, '');
      const shown = async (query: string) =>
        Object.fromEntries((await listed(`?limit=1000${query}`)).map((each) => [each.name, each.version_number]));
      expect(await shown('')).toMatchObject({ mixed: '1' });
      expect(await shown('')).not.toHaveProperty('all failed');
      expect(await shown('&include_failed=true')).toMatchObject({ mixed: '2', 'all failed': '1' });
    });

    it('filters by type and project, and pages newest first', async () => {
      const project = (await api.call('POST', '/projects', { name: 'p' })).body.id;
      for (const name of ['p1', 'p2', 'p3'])
        await begin({ dataset_name: name, project_id: project, dataset_type: name === 'p2' ? 'decoder' : 'ner' });
      const names = async (query: string) => (await listed(query)).map(({ name }) => name);
      expect(await names(`?project_id=${project}`)).toEqual(['p3', 'p2', 'p1']);
      expect(await names(`?project_id=${project}&limit=1&offset=1`)).toEqual(['p2']);
      expect(await names(`?project_id=${project}&dataset_type=decoder`)).toEqual(['p2']);
      expect(await names('?dataset_type=decoder&include_failed=1')).toEqual(['p2']);
      expect((await get(`?project_id=${project}&limit=1`)).body).toMatchObject({ count: 1, total: 3 });
    });

    it.each([
      ['include_failed=maybe', 400],
      ['dataset_type=nope', 400],
      ['limit=x', 400],
      ['limit=0', 422],
      ['limit=1001', 422],
      ['offset=-1', 422],
      ['project_id=nope', 404],
    ])('?%s is %i', async (query, status) => {
      const answer = await get(`?${query}`);
      expect(answer.status).toBe(status);
      expect(typeof answer.body.detail).toBe('string');
    });
  });

  describe('rows', () => {
    const many = Array.from({ length: 2500 }, (_, row) => ({ text: `row ${row}`, label: `l${row % 3}` }));
    beforeAll(() => uploadDataset(api, { dataset_name: 'long' }, gzipSync(JSON.stringify(many))));

    it('are previewed from any offset', async () => {
      const preview = async (query: string) => (await get(`/long/1/preview${query}`)).body as object;
      expect(await preview('')).toEqual({
        rows: many.slice(0, 10),
        row_numbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        found_rows: 2500,
        total_rows: 2500,
      });
      for (const offset of [3, 999, 1000, 1001, 2000, 2450])
        expect(await preview(`?limit=100&offset=${offset}`)).toMatchObject({
          rows: many.slice(offset, offset + 100),
          total_rows: 2500,
        });
      expect(await preview('?offset=2500')).toMatchObject({ rows: [], row_numbers: [], total_rows: 2500 });
      expect(await preview('?offset=99999999')).toMatchObject({ rows: [], total_rows: 2500 });
    });

    it('are found by a part of them, their label, the length of their text, and as duplicates', async () => {
      const preview = async (query: string) => (await get(`/long/1/preview?${query}`)).body as object;
      const found = (rows: number, ...numbers: readonly number[]) => ({
        rows: numbers.map((number) => many[number - 1]),
        row_numbers: numbers,
        found_rows: rows,
        total_rows: 2500,
      });
      expect(await preview('q=ROW%20249&limit=2')).toEqual(found(11, 250, 2491));
      expect(await preview('q=ROW%20249&limit=2&offset=9')).toEqual(found(11, 2499, 2500));
      expect(await preview('label=l1&limit=2')).toEqual(found(833, 2, 5));
      expect(await preview('max_characters=5&min_characters=5&label=l0&limit=1')).toEqual(found(4, 1));
      expect(await preview('duplicate=true')).toEqual(found(0));
      expect(await preview('duplicate=false&limit=1')).toEqual(found(2500, 1));
    });

    it('are previewed in smaller pages when they are large', async () => {
      const large = Array.from({ length: 5 }, (_, row) => ({ text: `${row} ${'x'.repeat(400_000)}`, label: 'l' }));
      await uploadDataset(api, { dataset_name: 'large-rows' }, JSON.stringify(large));
      const { rows, total_rows } = (await get('/large-rows/1/preview')).body as { rows: object[]; total_rows: number };
      expect([rows, total_rows]).toEqual([large.slice(0, 3), 5]);
      expect((await get('/large-rows/1/preview?offset=3')).body).toMatchObject({ rows: large.slice(3) });
    });

    it.each([
      ['limit=0', 422],
      ['limit=101', 422],
      ['limit=x', 400],
      ['offset=-1', 422],
      ['min_characters=-1', 422],
      ['max_characters=-1', 422],
      ['duplicate=perhaps', 400],
    ])('preview?%s is %i', async (query, status) => {
      expect((await get(`/long/1/preview?${query}`)).status).toBe(status);
    });

    it('are downloaded as JSONL and as CSV, which uploads again', async () => {
      const file = await download('/long/latest/download?format=jsonl');
      expect(file.headers.get('content-disposition')).toBe('attachment; filename="long-v1.jsonl"');
      const text = many.map((row) => `${JSON.stringify(row)}\n`).join('');
      expect(Number(file.headers.get('content-length'))).toBe(text.length);
      expect(await file.text()).toBe(text);

      await uploadDataset(api, { dataset_name: 'round trip' }, jsonl);
      const csv = await download('/round trip/1/download?format=csv');
      expect(csv.headers.get('content-type')).toContain('text/csv');
      await uploadDataset(api, { dataset_name: 'round trip' }, await csv.text());
      expect((await get('/round trip/2/preview')).body.rows).toEqual(rows);
    });

    it('are downloaded as Parquet, which uploads again', async () => {
      const file = await download('/long/1/download?format=parquet');
      expect(file.status).toBe(200);
      expect(file.headers.get('content-type')).toContain('application/vnd.apache.parquet');
      expect(file.headers.get('content-disposition')).toBe('attachment; filename="long-v1.parquet"');
      const parquet = Buffer.from(await file.arrayBuffer());
      expect(Number(file.headers.get('content-length'))).toBe(parquet.length);
      const again = await uploadDataset(api, { dataset_name: 'again', filename: 'long.parquet' }, parquet);
      expect(again).toMatchObject({ status: 'ready', format: 'parquet', sample_size: many.length });
      const text = await (await download('/again/1/download')).text();
      expect(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(many);
      expect((await get('/again/1/preview?limit=2&offset=1')).body.rows).toEqual(many.slice(1, 3));
    });

    it('are downloaded in the layouts of other tools, which upload again; a header names what was left out', async () => {
      const labelled = [
        {
          text: 'Ada met Bob',
          entities: [
            ['Ada', 'person'],
            ['Bob', 'person'],
          ],
          nöte: 'x',
        },
      ];
      await uploadDataset(api, { dataset_name: 'shapes' }, JSON.stringify(labelled));
      const file = async (format: string) => download(`/shapes/1/download?format=${format}`);
      const spacy = await file('spacy');
      expect(spacy.headers.get('content-disposition')).toBe('attachment; filename="shapes-v1.spacy.json"');
      expect(spacy.headers.get('x-anneal-left-out')).toBe('columns "n\\u00f6te"');
      const again = await uploadDataset(api, { dataset_name: 'shapes' }, await spacy.text());
      expect(again).toMatchObject({ status: 'ready', labels: ['person'], read_as: 'spaCy JSON, 1 texts' });
      const conll = await file('conll');
      expect(conll.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await conll.text()).toBe('Ada B-person\nmet O\nBob B-person\n\n');
      await uploadDataset(api, { dataset_name: 'free', dataset_type: 'custom' }, '{"a":1}');
      expect((await get('/free/1/download?format=conll')).status).toBe(409);
    });

    it('are 409 suggesting another format when their columns cannot be told apart', async () => {
      await uploadDataset(api, { dataset_name: 'cases', dataset_type: 'custom' }, '{"a":1,"A":2}');
      const refused = await get('/cases/1/download?format=parquet');
      expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('ask for format=jsonl')]);
      await uploadDataset(api, { dataset_name: 'bare', dataset_type: 'custom' }, '{}');
      for (const format of ['csv', 'parquet'])
        expect((await get(`/bare/1/download?format=${format}`)).status).toBe(409);
    });

    it('are 400 in any other format', async () => {
      expect((await get('/long/1/download?format=xml')).status).toBe(400);
    });
  });

  it('are invisible to another workspace, which may use the same name', async () => {
    const mine = await uploadDataset(api, { dataset_name: 'private' }, jsonl);
    const { key } = await api.colleague();
    const other = { 'x-api-key': key };
    for (const path of ['/private', '/private/1', '/private/latest', '/private/1/preview', '/private/1/download'])
      expect([path, (await get(path, other)).status]).toEqual([path, 404]);
    expect((await get('?include_failed=true', other)).body).toMatchObject({ count: 0, total: 0, datasets: [] });
    const seal = await api.call('POST', '/felix/datasets/upload/process', { dataset_id: mine.id }, other);
    expect(seal.status).toBe(404);
    const theirs = await uploadDataset(api, { dataset_name: 'private' }, '{"text":"theirs","label":"x"}', other);
    expect(theirs).toMatchObject({ version_number: '1', sample_size: 1 });
    expect((await get('/private')).body.versions).toEqual([mine]);
  });
});
