import { createHash } from 'node:crypto';
import { InvalidError, NotFoundError, UnavailableError } from '#domain/errors.js';
import { openEgress, type Egress } from '#primitives/egress/index.js';
import { HubServer } from '#test/hub-server/index.js';
import { Hub, OWNED_REPO_ID, REPO_ID, REVISION, TOKEN, type HubRequest } from './index.js';

const WRITER = 'hf_writer';
const rows = Buffer.from('{"text":"a"}\n'.repeat(500));

describe('the hub', () => {
  let server: HubServer;
  let egress: Egress;
  let hub: Hub;
  beforeEach(async () => {
    server = await HubServer.start();
    server.accounts.set(WRITER, { name: 'ada', mayWrite: true });
    server.accounts.set('hf_reader', { name: 'bob', mayWrite: false });
    egress = openEgress({ trusted: [server.url], headersMs: 2_000, idleMs: 2_000 });
    hub = new Hub(server.url, egress);
  });
  afterEach(async () => {
    await egress.close();
    await server.close();
  });

  const find = (request: Partial<HubRequest>) =>
    hub
      .find({ repoId: 'ada/set', revision: null, config: null, split: null, token: null, ...request })
      .then(({ source }) => source);
  const read = async (request: Partial<HubRequest> = {}) => {
    const source = await find(request);
    const token = request.token ?? null;
    const parts = [];
    for (const file of source.files) parts.push(...(await Array.fromAsync(hub.read(source, file, token))));
    return Buffer.concat(parts);
  };
  const push = (token = WRITER, repoId = 'ada/set', content = rows) =>
    hub.push({
      repoId,
      token,
      isPrivate: true,
      title: 'first',
      path: 'data/train.jsonl',
      content: new Blob([content]),
    });

  it('finds the files of a split at a commit, over several pages, and reads them', async () => {
    const names = ['README.md', 'test.jsonl', 'train/a b#1?.jsonl', 'train/b.jsonl', 'x/dev.jsonl'];
    server.add('ada/set', Object.fromEntries(names.map((name) => [name, name])));
    const source = await find({});
    expect(source).toEqual({
      repoId: 'ada/set',
      revision: null,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      config: 'default',
      split: 'train',
      files: [
        { path: 'train/a b#1?.jsonl', size: 18 },
        { path: 'train/b.jsonl', size: 13 },
      ],
      withToken: false,
    });
    expect((await read()).toString()).toBe('train/a b#1?.jsonltrain/b.jsonl');
  });

  it('reads a repository without an owner, and an old revision unchanged', async () => {
    const { head } = server.add('squad', { 'train.csv': 'old' });
    server.add('squad', { 'train.csv': 'new' });
    expect((await read({ repoId: 'squad' })).toString()).toBe('new');
    expect((await read({ repoId: 'squad', revision: head.oid })).toString()).toBe('old');
  });

  it('follows redirects to the storage of large files, without sending the token', async () => {
    server.add('ada/set', { 'train.jsonl': rows }, ['train.jsonl']).isPrivate = true;
    const storage = await server.startStorage();
    const trusting = openEgress({ trusted: [server.url, storage.url] });
    try {
      const source = await find({ token: WRITER });
      const read = new Hub(server.url, trusting).read(source, source.files[0]!, WRITER);
      expect(Buffer.concat(await Array.fromAsync(read))).toEqual(rows);
    } finally {
      await trusting.close();
      await storage.close();
    }
    expect(storage.seen.map(({ token }) => token)).toEqual([null]);
    expect(server.sawInAddresses(WRITER)).toBe(false);
  });

  it.each([
    ['from its start', 0],
    ['from where an earlier download stopped', 100],
  ])('reads a file of a model %s', async (_, from) => {
    const repository = server.add('ada/model', { 'onnx/model.onnx': rows }, ['onnx/model.onnx']);
    repository.isModel = true;
    const source = { repoId: 'ada/model', revision: repository.head.oid, token: null };
    const file = { path: 'onnx/model.onnx', size: rows.length };
    expect(Buffer.concat(await Array.fromAsync(hub.readModel(source, file, from)))).toEqual(rows.subarray(from));
  });

  it("finds the files of a model at a commit, over several pages, each with the hub's own hash of it", async () => {
    const files = { 'config.json': 'hello\n', 'README.md': '#', 'a/model.safetensors': rows };
    const repository = server.add('ada/model', files, ['a/model.safetensors']);
    Object.assign(repository, { isModel: true, card: { license: 'mit' } });
    const found = await hub.findModel({ repoId: 'ada/model', revision: null, token: null });
    expect(found).toEqual({
      commit: repository.head.oid,
      licence: 'mit',
      files: [
        // As `git hash-object` has it.
        { path: 'config.json', size: 6, oid: 'ce013625030ba8dba906f756967f9e9ca394464a' },
        { path: 'README.md', size: 1, oid: expect.stringMatching(/^[0-9a-f]{40}$/) },
        {
          path: 'a/model.safetensors',
          size: rows.length,
          oid: createHash('sha256').update(rows).digest('hex'),
        },
      ],
    });
  });

  it('reads a file without content', async () => {
    const repository = server.add('ada/model', { 'special_tokens_map.json': '' });
    repository.isModel = true;
    const source = { repoId: 'ada/model', revision: null, token: null };
    const read = hub.readModel(source, { path: 'special_tokens_map.json', size: 0 }, 0);
    expect(await Array.fromAsync(read)).toEqual([]);
  });

  it('skips bytes that a download already has, if the storage sends everything', async () => {
    const repository = server.add('ada/model', { 'model.onnx': rows });
    repository.isModel = true;
    server.fault = (exchange) => {
      if (exchange.request.headers.range !== 'bytes=100-') return false;
      delete exchange.request.headers.range;
      return false;
    };
    const source = { repoId: 'ada/model', revision: null, token: null };
    const read = hub.readModel(source, { path: 'model.onnx', size: rows.length }, 100);
    expect(Buffer.concat(await Array.fromAsync(read))).toEqual(rows.subarray(100));
  });

  it('reports a model file of unexpected size as changed', async () => {
    server.add('ada/model', { 'model.onnx': rows }).isModel = true;
    const read = hub.readModel(
      { repoId: 'ada/model', revision: null, token: null },
      { path: 'model.onnx', size: 1 },
      0,
    );
    await expect(read.next()).rejects.toThrow(/ada\/model.*has 6500 bytes, not 1/);
  });

  it('is not followed to storage on a private address that the operator has not named', async () => {
    const elsewhere = await HubServer.start();
    server.storage = elsewhere;
    server.add('ada/set', { 'train.jsonl': rows }, ['train.jsonl']);
    await expect(read()).rejects.toThrow(UnavailableError);
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.close();
  });

  it('sends no token to another address that a listing continues at', async () => {
    const elsewhere = await HubServer.start();
    server.add('ada/set', { 'train.jsonl': rows });
    server.fault = (exchange) => {
      if (!exchange.address.pathname.includes('/tree/')) return false;
      exchange.send(200, [], { link: `<${elsewhere.url}/next>; rel="next"` });
      return true;
    };
    const both = openEgress({ trusted: [server.url, elsewhere.url] });
    await expect(
      new Hub(server.url, both).find({ repoId: 'ada/set', revision: null, config: null, split: null, token: WRITER }),
    ).rejects.toThrow();
    expect(elsewhere.seen).toMatchObject([{ path: '/next', token: null }]);
    await both.close();
    await elsewhere.close();
  });

  it.each([
    ['a missing repository', { repoId: 'ada/nope' }, NotFoundError, 'ada/nope'],
    ['one without an owner', { repoId: 'nope' }, NotFoundError, 'nope'],
    ['one that is private', { repoId: 'ada/private' }, NotFoundError, 'public hub repository'],
    ['one that is private to others', { repoId: 'ada/private', token: 'hf_reader' }, NotFoundError, 'ada/private'],
    ['one that is gated', { repoId: 'ada/gated' }, InvalidError, 'hf_token'],
    ['a wrong token', { token: 'hf_wrong' }, InvalidError, 'hf_token'],
    ['a missing revision', { revision: 'nope' }, NotFoundError, 'ada/set@nope'],
    ['a missing configuration', { config: 'nope' }, InvalidError, 'config'],
    ['a missing split', { split: 'nope' }, InvalidError, 'split'],
  ])('reports %s as such', async (_, request, kind, named) => {
    server.add('ada/set', { 'train.csv': 'x' });
    server.add('ada/private', { 'train.csv': 'x' }).isPrivate = true;
    server.add('ada/gated', { 'train.csv': 'x' }).isGated = true;
    // The hub lists the files of a gated repository, and refuses them.
    const refused = read(request);
    await expect(refused).rejects.toThrow(kind);
    await expect(refused).rejects.toThrow(named);
    await expect(refused).rejects.not.toThrow('hf_w');
  });

  it.each([
    [429, { 'retry-after': '17' }, 'in 17 s'],
    [429, { 'retry-after': 'soon' }, 'later'],
    // As in the draft of the IETF on RateLimit headers.
    [429, { ratelimit: '"api";r=0;t=55' }, 'in 55 s'],
    [500, {}, '500'],
    [503, {}, '503'],
  ])('is unavailable when it answers %i', async (status, headers, said) => {
    server.fault = (exchange) => {
      exchange.refuse(status, null, 'no', headers);
      return true;
    };
    await expect(find({})).rejects.toThrow(UnavailableError);
    await expect(find({})).rejects.toThrow(said);
  });

  it('is unavailable when it cannot be reached, or answers something else', async () => {
    server.fault = (exchange) => {
      exchange.sendContent(Buffer.from('<html>'));
      return true;
    };
    await expect(find({})).rejects.toThrow(UnavailableError);
    await server.close();
    await expect(find({})).rejects.toThrow('cannot be reached');
  });

  it('is not trusted to end a file at a broken-off download', async () => {
    server.add('ada/set', { 'train.jsonl': rows });
    server.fault = (exchange) => {
      if (!exchange.address.pathname.includes('/resolve') || exchange.request.headers.range) return false;
      exchange.sendHalf(rows);
      return true;
    };
    await expect(read()).rejects.toThrow(UnavailableError);
  });

  it('is not trusted with a file that differs from its announcement', async () => {
    server.add('ada/set', { 'train.jsonl': rows });
    for (const other of [rows.subarray(1), Buffer.concat([rows, rows])]) {
      server.fault = (exchange) => {
        if (!exchange.address.pathname.includes('/resolve') || exchange.request.headers.range) return false;
        exchange.sendContent(other);
        return true;
      };
      await expect(read()).rejects.toThrow(UnavailableError);
    }
  });

  it.each([
    ['in the commit itself', { regularBytes: 1_000_000, partBytes: null }],
    ['as a large file', { regularBytes: 10, partBytes: null }],
    ['as a large file in parts', { regularBytes: 10, partBytes: 1_000 }],
  ])('accepts a file %s', async (_, limits) => {
    server.limits = limits;
    const first = await push();
    const { head, isPrivate } = server.repositories.get('ada/set')!;
    expect(first).toEqual({ url: `${server.url}/datasets/ada/set`, commit: head.oid, isNewRepository: true });
    expect([isPrivate, head.title, head.files.get('data/train.jsonl')?.content]).toEqual([true, 'first', rows]);
    expect((await push()).isNewRepository).toBe(false);
    expect(await read({ token: WRITER })).toEqual(rows);
  });

  it('refuses a token that may not write, naming the repository', async () => {
    for (const [token, repoId] of [
      ['hf_reader', 'bob/set'],
      [WRITER, 'bob/set'],
      ['hf_wrong', 'ada/set'],
    ] as const) {
      await expect(push(token, repoId)).rejects.toThrow(InvalidError);
      await expect(push(token, repoId)).rejects.toThrow('hf_token');
    }
    expect(server.repositories.size).toBe(0);
  });

  it('leaves nothing behind in a repository when an upload fails', async () => {
    server.limits = { regularBytes: 10, partBytes: null };
    server.fault = (exchange) => {
      if (!exchange.address.pathname.startsWith('/upload/')) return false;
      exchange.refuse(503, null, 'storage is away');
      return true;
    };
    await expect(push()).rejects.toThrow(UnavailableError);
    expect(server.repositories.get('ada/set')?.head.files.size).toBe(0);
  });
});

describe('names on the hub', () => {
  it.each(['a', 'squad', 'ada/set', 'Org-1/data.set_2', 'a/b'])('%j may be a repository', (name) => {
    expect(REPO_ID.test(name)).toBe(true);
  });
  it.each([
    '',
    '/',
    'a/',
    '/a',
    'a/b/c',
    '../a',
    'a/..',
    'a..b',
    'a?b',
    'a#b',
    'a%2fb',
    'a b',
    '.git',
    'a/.x',
    'a\n',
    'a/b@main',
    '-a',
  ])('%j may not be a repository', (name) => {
    expect(REPO_ID.test(name) || OWNED_REPO_ID.test(name)).toBe(false);
  });
  it('cannot be paths as a revision, and a token has the form of a token', () => {
    for (const good of ['main', 'v1.0', 'refs/convert/parquet', 'a'.repeat(40)]) expect(REVISION.test(good)).toBe(true);
    for (const bad of ['', '../x', 'a/../b', 'a//b', '/a', 'a?b', 'a#', 'a%2e', 'a b'])
      expect(REVISION.test(bad)).toBe(false);
    for (const bad of ['', 'x', 'hf_', 'hf_a b', 'hf_a\r\nX: y', 'hf_ä']) expect(TOKEN.test(bad)).toBe(false);
  });
});
