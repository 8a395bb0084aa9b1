import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { HubTokens } from '#application/hub-tokens.js';
import { HubServer } from '#test/hub-server/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { settled, uploadDataset } from '#test/support/datasets.js';
import { openSecretKey } from '#test/support/open-secret-key.js';

const WRITER = 'hf_writer0123456789';
const rows = [
  { text: 'fast and good', label: 'praise' },
  { text: 'slow', label: 'complaint' },
];
const jsonl = (some: readonly object[]) => some.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('datasets and the hub', () => {
  let server: HubServer;
  let api: TestApi;
  beforeAll(async () => {
    server = await HubServer.start();
    api = await startTestApi({ hubUrl: server.url, uploadMaxBytes: 1_000_000 });
    await uploadDataset(api, { dataset_name: 'mine', dataset_type: 'classification' }, jsonl(rows));
  });
  afterAll(async () => {
    await api.close();
    await server.close();
  });
  beforeEach(() => {
    server.repositories.clear();
    server.seen.length = 0;
    server.fault = null;
    server.accounts.set(WRITER, { name: 'ada', mayWrite: true });
    server.accounts.set('hf_reader', { name: 'bob', mayWrite: false });
  });

  const post = (path: string, body: unknown, headers?: Record<string, string>) =>
    api.call('POST', `/felix/datasets/${path}`, body, headers);
  const get = (path: string) => api.call('GET', `/felix/datasets/${path}`);
  let serial = 0;
  const pull = (body: Record<string, unknown> = {}, headers?: Record<string, string>) =>
    post(
      'pull-from-hub',
      { repo_id: 'ada/set', dataset_name: `pulled ${(serial += 1)}`, dataset_type: 'classification', ...body },
      headers,
    );
  const pulled = async (body: Record<string, unknown> = {}) => {
    const begun = await pull(body);
    expect([begun.status, begun.body]).toMatchObject([202, { status: 'uploading', generation_type: 'hub' }]);
    const version = await settled(api, `/felix/datasets/${begun.body.name}/${begun.body.version_number}`);
    const preview = await get(`${begun.body.name}/${begun.body.version_number}/preview?limit=100`);
    return { ...version, rows: preview.body.rows };
  };
  const tokens = () =>
    new HubTokens(api.application.ports.coordination, openSecretKey(api.settings.dataDir, api.settings.secretKey));

  describe('push-to-hub', () => {
    const push = (body: Record<string, unknown> = {}, path = 'mine/latest', headers?: Record<string, string>) =>
      post(`${path}/push-to-hub`, { repo_id: 'ada/set', hf_token: WRITER, ...body }, headers);

    it('commits the rows to a repository, which it creates', async () => {
      const { status, body } = await push({ commit_message: 'ours' });
      const repository = server.repositories.get('ada/set')!;
      expect([status, body]).toEqual([
        200,
        {
          success: true,
          url: `${server.url}/datasets/ada/set`,
          repo_id: 'ada/set',
          message: `pushed to a new repository, in commit ${repository.head.oid}`,
        },
      ]);
      expect([repository.isPrivate, repository.head.title]).toEqual([true, 'ours']);
      expect(repository.head.files.get('data/train.jsonl')?.content.toString()).toBe(jsonl(rows));
      await push({ repo_id: 'ada/open', private: false });
      expect(server.repositories.get('ada/open')?.isPrivate).toBe(false);
    });

    it('writes a large file, which can be pulled back unchanged', async () => {
      server.limits = { regularBytes: 10, partBytes: 20 };
      expect((await push()).status).toBe(200);
      expect((await pulled({ hf_token: WRITER })).rows).toEqual(rows);
    });

    it('commits once when repeated with its Idempotency-Key', async () => {
      const headers = { 'x-api-key': api.key, 'idempotency-key': 'push-once' };
      const first = await push({}, 'mine/1', headers);
      const again = await push({}, 'mine/1', headers);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(server.repositories.get('ada/set')?.commits).toHaveLength(2);
    });

    it.each([
      [{ repo_id: undefined }, 'repo_id', 422],
      [{ repo_id: 'noowner' }, 'repo_id', 422],
      [{ repo_id: '../../api/x' }, 'repo_id', 422],
      [{ hf_token: undefined }, 'hf_token', 422],
      [{ hf_token: 'secret' }, 'hf_token', 422],
      [{ hf_token: 'hf_a\r\nx: y' }, 'hf_token', 422],
      [{ private: 'yes' }, 'private', 422],
      [{ commit_message: '' }, 'commit_message', 422],
      [{ hf_token: 'hf_unknown' }, 'hf_token', 422],
      [{ hf_token: 'hf_reader' }, 'hf_token', 422],
      [{ repo_id: 'bob/set' }, 'hf_token', 422],
    ])('refuses %j, naming %s: %i', async (body, field, status) => {
      const answer = await push(body);
      expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(field)]);
      expect(answer.body.errors[0].loc).toEqual(['body', field]);
      expect(JSON.stringify(answer.body)).not.toMatch(/hf_(unknown|reader|a)|secret/);
    });

    it('is 404 for an unknown version, 409 for one that is not ready', async () => {
      expect((await push({}, 'nope/1')).status).toBe(404);
      expect((await push({}, 'mine/7')).status).toBe(404);
      expect((await push({}, 'mine/x')).status).toBe(400);
      await post('upload/url', { dataset_name: 'unready' });
      expect((await push({}, 'unready/1')).status).toBe(409);
      const { key } = await api.colleague();
      expect((await push({}, 'mine/1', { 'x-api-key': key })).status).toBe(404);
    });
  });

  describe('pull-from-hub', () => {
    const csv = 'sentence,intent\nfast,praise\n"slow, ""very""",complaint\n';

    it.each([
      ['JSONL', 'train.jsonl', jsonl(rows), {}],
      ['JSON, gzipped', 'train.json.gz', gzipSync(JSON.stringify(rows)), {}],
      ['CSV with other columns', 'x.csv', csv, { column_mapping: { text: 'sentence', label: 'intent' } }],
    ])('creates a version of %s', async (_, path, content, body) => {
      server.add('ada/set', { [path]: content });
      const version = await pulled(body);
      expect(version).toMatchObject({ status: 'ready', sample_size: 2, labels: ['complaint', 'praise'] });
      expect(version.rows).toHaveLength(2);
    });

    it('reads the files of a split together in order, whatever their formats', async () => {
      const parts = { 'train/0.csv': 'text,label\na,x\n', 'train/1.json': '[{"text":"b","label":"x"}]' };
      server.add('ada/set', { ...parts, 'train/2.jsonl.gz': gzipSync('{"text":"c","label":"y"}'), 'test/3.csv': csv });
      const version = await pulled();
      expect(version.rows.map(({ text }: { text: string }) => text)).toEqual(['a', 'b', 'c']);
      expect(version).toMatchObject({ status: 'ready', labels: ['x', 'y'] });
    });

    it('leaves out rows that are not valid if the request says so', async () => {
      server.add('ada/set', { 'train.jsonl': '{"text":"a","label":"x"}\n{"text":"","label":"x"}\n' });
      expect(await pulled({ on_error: 'skip' })).toMatchObject({
        status: 'ready',
        sample_size: 1,
        left_out: { rows: 1 },
      });
      expect((await pulled()).processing_error).toBe('row 2: text is empty');
    });

    it('reads Arrow, as save_to_disk writes it', async () => {
      const table = tableFromArrays({ text: ['a', 'b'], label: ['x', 'y'] });
      server.add('ada/set', { 'train/data-00000-of-00001.arrow': Buffer.from(tableToIPC(table, 'stream')) });
      const version = await pulled();
      expect(version).toMatchObject({ status: 'ready', format: 'arrow', sample_size: 2, labels: ['x', 'y'] });
    });

    it('honours `format` as uploads do: for one file, for several, and for their rows', async () => {
      const lines = 'Ada B-PER\nmet O\n\nBob B-PER\n';
      const found = [
        { text: 'Ada met', entities: [expect.objectContaining({ text: 'Ada', label: 'PER' })] },
        { text: 'Bob', entities: [expect.objectContaining({ text: 'Bob', label: 'PER' })] },
      ];
      server.add('ada/one', { 'train.csv': lines });
      const asked = { dataset_type: 'ner', format: 'CoNLL' };
      const one = await pulled({ repo_id: 'ada/one', ...asked });
      expect([one.format, one.rows]).toEqual(['conll', found]);
      server.add('ada/two', { 'train-0.csv': lines, 'train-1.csv': lines });
      const two = await pulled({ repo_id: 'ada/two', ...asked });
      expect([two.processing_error, two.rows]).toEqual([null, [...found, ...found]]);
      server.add('ada/rows', { 'train.jsonl': '{"text":"Ada saw","entities":[[0,3,"PER"]]}' });
      const rows = await pulled({ repo_id: 'ada/rows', dataset_type: 'ner', format: 'gliner' });
      expect(rows.processing_error).toContain('tokenized_text');
      const refused = await pull({ format: 'docx' });
      expect([refused.status, refused.body.errors[0].loc]).toEqual([422, ['body', 'format']]);
    });

    it('reads Parquet, in one file or in shards, stored as large files', async () => {
      const select = (from: number) =>
        `SELECT 'row ' || i AS text, 'l' || i % 2 AS label FROM range(${from}, ${from + 3}) t(i)`;
      const shards = Object.fromEntries(
        await Promise.all(
          [0, 1].map(async (i) => [`data/train-0000${i}-of-00002.parquet`, await parquet(select(i * 3))] as const),
        ),
      );
      server.add('ada/set', shards, Object.keys(shards));
      const version = await pulled();
      expect(version).toMatchObject({ status: 'ready', sample_size: 6, labels: ['l0', 'l1'] });
      expect(version.rows).toEqual([0, 1, 2, 3, 4, 5].map((i) => ({ text: `row ${i}`, label: `l${i % 2}` })));
      server.add('ada/one', { 'train.parquet': await parquet(select(7)) });
      expect((await pulled({ repo_id: 'ada/one' })).rows[0]).toEqual({ text: 'row 7', label: 'l1' });
      const preview = await post('preview-from-hub', { repo_id: 'ada/set', limit: 4 });
      expect(preview.body).toMatchObject({
        rows: version.rows.slice(0, 4),
        total_rows: null,
        columns: ['text', 'label'],
      });
    });

    it('resolves ClassLabel numbers from the card or dataset_infos.json, unless the request names them', async () => {
      const numbers = [
        { text: 'a', label: 1 },
        { text: 'b', label: 0 },
      ];
      const of = (one: string, nought: string) => [
        { text: 'a', label: one },
        { text: 'b', label: nought },
      ];
      const file = { 'train.jsonl': jsonl(numbers) };
      const dtype = { class_label: { names: { 0: 'bad', 1: 'good' } } };
      server.add('ada/card', file).card = { dataset_info: { features: [{ name: 'label', dtype }] } };
      expect((await pulled({ repo_id: 'ada/card' })).rows).toEqual(of('good', 'bad'));
      expect((await post('preview-from-hub', { repo_id: 'ada/card' })).body.rows).toEqual(of('good', 'bad'));
      const label_names = { label: ['no', 'yes'] };
      expect((await pulled({ repo_id: 'ada/card', label_names })).rows).toEqual(of('yes', 'no'));
      const infos = { default: { features: { label: { names: ['low', 'high'], _type: 'ClassLabel' } } } };
      server.add('ada/infos', { ...file, 'dataset_infos.json': JSON.stringify(infos) });
      expect((await pulled({ repo_id: 'ada/infos' })).rows).toEqual(of('high', 'low'));
      server.add('ada/none', file);
      expect((await pulled({ repo_id: 'ada/none' })).processing_error).toContain('label_names says which names');
    });

    it('reads cells of several files as it reads those of one', async () => {
      const csv = 'sentence,intent\n"""hi""",praise\n';
      const mapped = { column_mapping: { text: 'sentence', label: 'intent' } };
      server.add('ada/set', { 'train/0.csv': csv, 'train/1.csv': csv });
      const row = { text: '"hi"', label: 'praise' };
      expect((await pulled(mapped)).rows).toEqual([row, row]);
      const table = await parquet(`SELECT 'Ada saw Bob' AS text, '[["Ada", "person"]]' AS entities,
        [{'met': {'head': 'Ada', 'tail': 'Bob'}, 'left': NULL::STRUCT(head VARCHAR, tail VARCHAR)}] AS relations`);
      server.add('ada/two', { 'train-0.parquet': table, 'train-1.parquet': table });
      const found = { text: 'Ada saw Bob', entities: [['Ada', 'person']] };
      const both = { ...found, relations: [{ met: { head: 'Ada', tail: 'Bob' } }] };
      expect((await pulled({ repo_id: 'ada/two', dataset_type: 'ner' })).rows).toEqual([both, both]);
    });

    it('reads the configuration and split that the request names, by the card at the named revision', async () => {
      const old = server.add('ada/set', { 'de/a.jsonl': jsonl(rows), 'en/b.jsonl': '{"text":"b","label":"x"}' });
      const { oid } = old.head;
      server.add('ada/set', { 'de/a.jsonl': '{"text":"new","label":"x"}' });
      old.card = {
        configs: [
          { config_name: 'de', data_files: [{ split: 'odd', path: 'de/*' }] },
          { config_name: 'en', data_files: 'en/*' },
        ],
      };
      expect((await pulled({ config: 'de', split: 'odd', revision: oid })).rows).toEqual(rows);
      expect((await pulled({ config: 'de', split: 'odd' })).rows).toEqual([{ text: 'new', label: 'x' }]);
      const refused = await pull();
      expect([refused.status, refused.body.errors]).toMatchObject([422, [{ loc: ['body', 'config'] }]]);
      expect(refused.body.detail).toContain('"de", "en"');
    });

    it('ignores names in a card that no request could use', async () => {
      server.add('ada/set', { 'a/train.jsonl': jsonl(rows) }).card = {
        configs: [{ config_name: 'x'.repeat(2_000_000), data_files: [{ split: 'y'.repeat(2_000_000), path: 'a/*' }] }],
      };
      expect((await pulled()).rows).toEqual(rows);
    });

    it("gives the problem with the rows, and the file, in the version's record", async () => {
      server.add('ada/set', { 'train.jsonl': '{"text":""}' });
      expect(await pulled()).toMatchObject({ status: 'failed', row_errors: { total: 2 } });
      server.add('ada/set', { 'train.jsonl': '{"text":"a","label":"b"}\n{', 'more_train.csv': 'text,label\na,b\n' });
      expect((await pulled()).processing_error).toMatch(/row \d: is not JSON: .* \(in train.jsonl\)$/);
      const skipped = await pulled({ on_error: 'skip' });
      expect(skipped).toMatchObject({ status: 'ready', left_out: { rows: 1 } });
      expect(skipped.rows).toHaveLength(2);
    });

    it('repeated with its Idempotency-Key pulls once, even if the repository has since been deleted', async () => {
      server.add('ada/set', { 'train.jsonl': jsonl(rows) });
      const headers = { 'x-api-key': api.key, 'idempotency-key': 'pull-once' };
      const body = { dataset_name: 'once' };
      const first = await pull(body, headers);
      await settled(api, '/felix/datasets/once/1');
      server.repositories.clear();
      const again = await pull(body, headers);
      expect([again.status, again.body]).toEqual([202, first.body]);
      expect((await get('once')).body.count).toBe(1);
    });

    it("keeps the hub's token sealed, deletes it after the work, and never shows it", async () => {
      server.add('ada/set', { 'train.jsonl': jsonl(rows) }).isPrivate = true;
      const isFetched = Promise.withResolvers<void>();
      const goesOn = Promise.withResolvers<void>();
      server.fault = (exchange) => {
        if (!exchange.address.pathname.includes('/resolve')) return false;
        isFetched.resolve();
        server.fault = null;
        void goesOn.promise.then(() => exchange.refuse(503, null, 'try again'));
        return true;
      };
      const { body } = await pull({ hf_token: WRITER });
      await isFetched.promise;
      expect(await tokens().find(body.id)).toBe(WRITER);
      goesOn.resolve();
      expect(await settled(api, `/felix/datasets/${body.name}/1`)).toMatchObject({ status: 'ready' });
      await eventually(async () => (await tokens().find(body.id)) === null);
      const events = await Array.fromAsync(api.application.ports.eventStore.readAll());
      expect(JSON.stringify(events)).not.toContain(WRITER);
      for (const file of await filesOf(api.settings.dataDir)) expect(file.includes(WRITER)).toBe(false);
      expect(server.sawInAddresses(WRITER)).toBe(false);
    });

    it('fails, and deletes the token, when the hub stops accepting it', async () => {
      server.add('ada/set', { 'train.jsonl': jsonl(rows) }).isPrivate = true;
      server.fault = (exchange) => {
        if (exchange.address.pathname.includes('/resolve')) server.accounts.delete(WRITER);
        return false;
      };
      const { body } = await pull({ hf_token: WRITER });
      const version = await settled(api, `/felix/datasets/${body.name}/1`);
      expect([version.status, version.processing_error]).toEqual(['failed', expect.stringContaining('hf_token')]);
      await eventually(async () => (await tokens().find(body.id)) === null);
    });

    it('can be deleted while it runs', async () => {
      server.add('ada/set', { 'train.jsonl': jsonl(rows) });
      const held = Promise.withResolvers<void>();
      server.fault = (exchange) => {
        if (!exchange.address.pathname.includes('/resolve')) return false;
        server.fault = null;
        void held.promise.then(() => exchange.refuse(503, null, 'try again'));
        return true;
      };
      const { body } = await pull({ hf_token: WRITER });
      expect((await get(`${body.name}/1/preview`)).status).toBe(409);
      expect((await api.call('DELETE', `/felix/datasets/${body.name}`)).status).toBe(200);
      // Deleted immediately, because the worker may not run again.
      expect(await tokens().find(body.id)).toBeNull();
      held.resolve();
      expect((await get(`${body.name}/1`)).status).toBe(404);
    });

    it.each([
      [{ repo_id: undefined }, 'repo_id', 422],
      [{ repo_id: 'a/b/c' }, 'repo_id', 422],
      [{ repo_id: 'a/..' }, 'repo_id', 422],
      [{ dataset_name: undefined }, 'dataset_name', 422],
      [{ dataset_name: 'a/b' }, 'dataset_name', 422],
      [{ dataset_type: undefined }, 'dataset_type', 422],
      [{ dataset_type: 'records' }, 'dataset_type', 422],
      [{ hf_token: 'x' }, 'hf_token', 422],
      [{ hf_token: 'hf_unknown' }, 'hf_token', 422],
      [{ revision: '../main' }, 'revision', 422],
      [{ config: 5 }, 'config', 422],
      [{ config: 'nope' }, 'config', 422],
      [{ split: 'nope' }, 'split', 422],
      [{ column_mapping: { colour: 'x' } }, 'column_mapping', 422],
      [{ column_mapping: { text: 'x', label: 'x' } }, 'column_mapping', 422],
      [{ column_mapping: ['text'] }, 'column_mapping', 422],
      [{ label_names: { label: 'x' } }, 'label_names', 422],
      [{ repo_id: 'ada/large' }, 'repo_id', 422],
      [{ repo_id: 'ada/empty' }, 'repo_id', 422],
      [{ repo_id: 'ada/nope' }, 'ada/nope', 404],
      [{ repo_id: 'ada/private' }, 'ada/private', 404],
      [{ revision: 'nope' }, 'nope', 404],
      [{ project_id: 'nope' }, 'nope', 404],
    ])('refuses %j, naming %s: %i', async (body, named, status) => {
      server.add('ada/set', { 'train.jsonl': jsonl(rows) });
      server.add('ada/private', { 'train.jsonl': jsonl(rows) }).isPrivate = true;
      server.add('ada/large', { 'train.jsonl': Buffer.alloc(1_000_001) });
      server.add('ada/empty', { 'README.md': 'nothing' });
      const answer = await pull(body);
      expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(named)]);
      if (status === 422) expect(answer.body.errors[0].loc).toEqual(['body', named]);
    });

    it.each([429, 500, 503])('is 503 when the hub answers %i', async (status) => {
      server.fault = (exchange) => {
        exchange.refuse(status, null, 'no', { 'retry-after': '7' });
        return true;
      };
      const answer = await pull();
      expect([answer.status, answer.body.detail]).toEqual([503, expect.stringContaining('hub')]);
    });
  });

  describe('preview-from-hub', () => {
    const preview = (body: Record<string, unknown> = {}) => post('preview-from-hub', { repo_id: 'ada/set', ...body });
    const many = Array.from({ length: 300 }, (_, row) => ({ text: `row ${row}`, label: 'x', extra: null }));

    it('shows rows as stored, and their number if it is known', async () => {
      server.add('ada/set', { 'train-1.jsonl': jsonl(many), 'test.csv': 'a,b\n1,\n' });
      const first = await preview();
      expect([first.status, first.body]).toEqual([
        200,
        { rows: many.slice(0, 10), total_rows: null, columns: ['text', 'label', 'extra'] },
      ]);
      expect((await preview({ limit: 100 })).body.rows).toEqual(many.slice(0, 100));
      expect((await preview({ split: 'test' })).body).toEqual({ rows: [{ a: '1' }], total_rows: 1, columns: ['a'] });
    });

    it('shows rows with any characters that lines of JSON may hold', async () => {
      const odd = [{ text: 'a\u2028b\u2029c\u0085d\re', label: 'x' }];
      server.add('ada/set', { 'train.jsonl': jsonl(odd) });
      expect((await preview()).body).toMatchObject({ rows: odd, total_rows: 1 });
    });

    it('is 422 for an unreadable file, naming it, and for an invalid request', async () => {
      server.add('ada/set', { 'train.json': '[{"a":1},' });
      const { status, body } = await preview();
      expect([status, body.detail]).toEqual([422, expect.stringContaining('train.json')]);
      for (const [field, value] of [
        ['limit', 0],
        ['limit', 101],
        ['limit', 'x'],
        ['repo_id', '/'],
        ['split', 'nope'],
      ] as const) {
        const refused = await preview({ [field]: value });
        expect([refused.status, refused.body.errors[0].loc]).toEqual([422, ['body', field]]);
      }
      expect((await preview({ repo_id: 'ada/nope' })).status).toBe(404);
    });
  });
});

/** A Parquet file as another program would write it. */
async function parquet(select: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parquet-'));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run(`COPY (${select}) TO '${join(folder, 'file.parquet')}' (FORMAT parquet)`);
    return await readFile(join(folder, 'file.parquet'));
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true });
  }
}

async function filesOf(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(entries.filter((e) => e.isFile()).map((e) => readFile(join(e.parentPath, e.name))));
}
