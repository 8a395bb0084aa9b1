import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hub } from '../hub/index.js';
import { openEgress, type Egress } from '#primitives/egress/index.js';
import { filesIn, HubServer } from '#test/hub-server/index.js';
import { ImportError, importedModels, importModel, originOf, pullModel, removeModel, verify } from './index.js';
import { tinySafetensors } from '../safetensors/tiny.fixture.js';
import { tinyGguf, writeTinyDecoder } from './tiny-decoder.fixture.js';
import { writeTinyGliner2 } from './tiny-encoder.fixture.js';

const WEIGHTS = tinySafetensors('weights'.repeat(1_000)).toString();
const GGUF = tinyGguf({
  'general.architecture': 'llama',
  'tokenizer.ggml.tokens': ['a', 'bc'],
  'llama.context_length': 2048,
});

describe('models of the hub', () => {
  let folder: string;
  let own: string;
  let server: HubServer;
  let egress: Egress;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pulled-'));
    own = join(folder, 'data', 'models');
    server = await HubServer.start();
    egress = openEgress({ trusted: [server.url] });
    offer(await filesOf((source) => writeTinyDecoder(source)));
  });
  afterEach(async () => {
    await egress.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const filesOf = async (write: (source: string) => Promise<void>): Promise<Record<string, Buffer | string>> => {
    const source = await mkdtemp(join(folder, 'source-'));
    await write(source);
    return { ...(await filesIn(source)), 'model.safetensors': WEIGHTS };
  };
  const offer = (files: Record<string, Buffer | string>) => {
    server.repositories.delete('ada/tiny');
    const repository = server.add('ada/tiny', files, ['model.safetensors', 'pytorch_model.bin']);
    repository.isModel = true;
    return repository;
  };
  const pull = async (options: Partial<Parameters<typeof pullModel>[0]> = {}, others: readonly string[] = []) => {
    const asked = { from: 'ada/tiny', id: null, licence: null, file: null, token: null, ...options };
    const pulling = pullModel(asked, [own, ...others], new Hub(server.url, egress));
    const progress = [];
    for (;;) {
      const { done, value } = await pulling.next();
      if (done) return { ...value, progress };
      progress.push(value);
    }
  };
  const asked = () => server.seen.filter(({ path }) => path.includes('/resolve')).map(({ path }) => path);

  it('are fetched at a commit, and record their origin', async () => {
    const repository = offer({
      ...(await filesOf((source) => writeTinyDecoder(source))),
      ...{ 'README.md': '# Tiny', 'onnx/model.onnx': 'x', 'pytorch_model.bin': 'pickle', 'modeling_tiny.py': 'code' },
    });
    repository.card = { license: 'apache-2.0' };
    const { progress, manifest, folder: at, skipped } = await pull();
    expect(skipped).toEqual(['onnx/model.onnx', 'pytorch_model.bin', 'modeling_tiny.py']);
    expect(asked().filter((path) => /\.(onnx|bin|py)$/.test(path))).toEqual([]);
    const { total } = progress[0]!;
    expect([progress[0]!.done, progress.at(-1)!.done]).toEqual([0, total]);
    expect(manifest).toMatchObject({
      id: 'ada/tiny',
      licence: 'apache-2.0',
      kind: 'anneal-decoder',
      contextTokens: 64,
    });
    expect(importedModels([own])).toEqual([{ folder: at, manifest }]);
    expect(await verify(at)).toEqual(manifest);
    expect(originOf({ folder: at })).toEqual({ repository: 'ada/tiny', revision: repository.head.oid });
    expect(await readdir(own)).toEqual(['ada--tiny']);
  });

  it('equal those imported from a folder', async () => {
    const { manifest } = await pull();
    const source = join(folder, 'copy');
    await mkdir(source);
    await writeTinyDecoder(source);
    for await (const _ of importModel(source, { id: 'ada/tiny', licence: null }, join(folder, 'other')));
    const [imported] = importedModels([join(folder, 'other')]);
    expect({ ...imported!.manifest.files, 'model.safetensors': null }).toEqual({
      ...manifest.files,
      'model.safetensors': null,
    });
    expect(originOf(imported!)).toBeNull();
  });

  it('have the requested revision, id and licence', async () => {
    const first = server.repositories.get('ada/tiny')!.head.oid;
    server.add('ada/tiny', { 'model.safetensors': tinySafetensors('other').toString() });
    const { manifest, folder: at } = await pull({ from: `ada/tiny@${first}`, id: 'bob/one', licence: 'MIT' });
    expect(manifest).toMatchObject({ id: 'bob/one', licence: 'MIT' });
    expect(await readFile(join(at, 'model.safetensors'), 'utf8')).toBe(WEIGHTS);
    expect(originOf({ folder: at })!.revision).toBe(first);
  });

  it('are fetched again only if the revision is another commit', async () => {
    const { manifest, folder: at } = await pull();
    server.seen.length = 0;
    expect(await pull()).toMatchObject({ manifest, folder: at, progress: [] });
    expect(asked()).toEqual([]);
    server.add('ada/tiny', { 'model.safetensors': tinySafetensors('other').toString() });
    await pull();
    expect(await readFile(join(at, 'model.safetensors'), 'utf8')).toBe(tinySafetensors('other').toString());
    expect(await readdir(own)).toEqual(['ada--tiny']);
  });

  it('are not fetched if a read-only folder has them', async () => {
    await pull();
    const { folder: at } = await pull({}, []);
    const elsewhere = own;
    own = join(folder, 'empty');
    expect((await pull({}, [elsewhere])).folder).toBe(at);
  });

  it('resume an interrupted download, without fetching whole files again', async () => {
    server.fault = (exchange) => {
      const isStorage = exchange.address.pathname.startsWith('/storage/');
      if (!isStorage || exchange.request.headers.range === 'bytes=0-0') return false;
      exchange.sendHalf(Buffer.from(WEIGHTS));
      return true;
    };
    await expect(pull()).rejects.toThrow(/hub/);
    expect(importedModels([own])).toEqual([]);
    const ranges: unknown[] = [];
    server.seen.length = 0;
    server.fault = ({ request, address }) => {
      if (address.pathname.startsWith('/storage/')) ranges.push(request.headers.range);
      return false;
    };
    const { folder: at } = await pull();
    expect(ranges).toContain(`bytes=${Math.floor(WEIGHTS.length / 2)}-`);
    expect(asked().every((path) => path.endsWith('model.safetensors'))).toBe(true);
    expect(await readFile(join(at, 'model.safetensors'), 'utf8')).toBe(WEIGHTS);
  });

  it("do not resume another commit's download", async () => {
    server.fault = (exchange) => {
      const isStorage = exchange.address.pathname.startsWith('/storage/');
      if (!isStorage || exchange.request.headers.range === 'bytes=0-0') return false;
      exchange.sendHalf(Buffer.from(WEIGHTS));
      return true;
    };
    await expect(pull()).rejects.toThrow(/hub/);
    server.fault = null;
    const changed = tinySafetensors('WEIGHTS'.repeat(1_000)).toString();
    server.add('ada/tiny', { 'model.safetensors': changed }, ['model.safetensors']);
    const { folder: at } = await pull();
    expect(await readFile(join(at, 'model.safetensors'), 'utf8')).toBe(changed);
  });

  it.each(['model.safetensors', 'tokenizer.json'])(
    'are refused if %s has another hash than the hub states, and fetched again the next time',
    async (name) => {
      const bytes = server.repositories.get('ada/tiny')!.head.files.get(name)!.content;
      server.fault = (exchange) => {
        const { pathname } = exchange.address;
        const isIt = pathname.startsWith('/storage/') || pathname.endsWith(name);
        if (!isIt || exchange.request.headers.range === 'bytes=0-0') return false;
        exchange.sendContent(Buffer.from(bytes.map((byte) => byte ^ 1)));
        return true;
      };
      await expect(pull()).rejects.toThrow(
        new RegExp(`^${name} of ada/tiny came with the hash [0-9a-f]+, and the hub says [0-9a-f]+: it was deleted`),
      );
      expect(importedModels([own])).toEqual([]);
      server.fault = null;
      expect((await pull()).manifest.id).toBe('ada/tiny');
    },
  );

  it('are refused before the weights are fetched if their configuration requires code', async () => {
    offer(await filesOf((source) => writeTinyDecoder(source, { config: { auto_map: {} } })));
    await expect(pull()).rejects.toThrow(/^ada\/tiny\/config\.json asks for code of the model's own \(auto_map\)/);
    expect(asked().some((path) => path.endsWith('.safetensors'))).toBe(false);
    expect(await readdir(own)).toEqual([]);
  });

  it.each<[string, Record<string, string>, string | null, RegExp]>([
    ['weights as pickles alone', { 'config.json': '{}', 'pytorch_model.bin': 'x' }, null, /pickles alone.*\(pytorch_m/],
    ['an adapter alone', { 'adapter_model.safetensors': 'x' }, null, /has neither config\.json with \*\.safetensors/],
    [
      'several GGUF files',
      { 'a.gguf': 'x', 'b.gguf': 'x' },
      null,
      /has 2 GGUF files: choose one by --file \(a\.gguf, b/,
    ],
    ['no such GGUF file', { 'a.gguf': 'x' }, 'c.gguf', /^ada\/tiny has no c\.gguf; it has a\.gguf$/],
    [
      'a file that is not GGUF',
      { 'a.gguf': 'x' },
      'a.bin',
      /^--file must name a \.gguf file, or an \.onnx file of a GLiNER model \(got a\.bin\)/,
    ],
    [
      'a missing part of a GGUF',
      { 'a-00001-of-00002.gguf': 'x' },
      null,
      /^ada\/tiny has no a-00002-of-00002\.gguf; it has a-00001-of-00002\.gguf$/,
    ],
    [
      'a later part of a GGUF',
      { 'a-00001-of-00002.gguf': 'x', 'a-00002-of-00002.gguf': 'x' },
      'a-00002-of-00002.gguf',
      /^--file must name the first part of a model, a-00001-of-00002\.gguf \(got a-00002/,
    ],
  ])('are refused for %s', async (_, files, file, message) => {
    offer(files);
    const pulling = pull({ file });
    await expect(pulling).rejects.toThrow(ImportError);
    await expect(pulling).rejects.toThrow(message);
    expect(asked()).toEqual([]);
  });

  it('are refused for a GGUF file that is not a language model, and leave nothing', async () => {
    offer({ 'image.gguf': tinyGguf({ 'general.architecture': 'clip' }) });
    await expect(pull()).rejects.toThrow(/^ada\/tiny\/image\.gguf names no context length: it is no language model/);
    expect(await readdir(own)).toEqual([]);
  });

  it('may be a GGUF file, the only one or the requested one', async () => {
    offer({ 'README.md': '# Tiny', 'small.gguf': GGUF });
    expect((await pull()).manifest).toMatchObject({ format: 'gguf', contextTokens: 2048 });
    offer({ 'config.json': '{}', 'q4/small.gguf': GGUF, 'q8/large.gguf': 'x' });
    const { manifest, skipped } = await pull({ file: 'q4/small.gguf' });
    expect(Object.keys(manifest.files)).toEqual(['small.gguf']);
    expect(skipped).toEqual(['config.json', 'q8/large.gguf']);
  });

  it('may be a GGUF file in parts, the only one or that of the requested first part', async () => {
    const parts = { 'q8/a-00001-of-00002.gguf': GGUF, 'q8/a-00002-of-00002.gguf': GGUF };
    offer(parts);
    const { manifest, folder: at } = await pull();
    expect(manifest).toMatchObject({ format: 'gguf', contextTokens: 2048 });
    expect(Object.keys(manifest.files)).toEqual(['a-00001-of-00002.gguf', 'a-00002-of-00002.gguf']);
    expect(await verify(at)).toEqual(manifest);
    offer({ ...parts, 'q4/b.gguf': GGUF });
    const { skipped } = await pull({ file: 'q8/a-00001-of-00002.gguf' });
    expect(skipped).toEqual(['q4/b.gguf']);
  });

  it('are refused in parts before they are fetched, where no engine loads them, with the command that merges them', async () => {
    offer({ 'a-00001-of-00002.gguf': GGUF, 'a-00002-of-00002.gguf': GGUF });
    await expect(pull({ takesParts: false })).rejects.toThrow(
      /^ada\/tiny has its model in 2 parts, .*\(npx anneal engine install llama\), or merge .*llama-gguf-split --merge a-00001-of-00002\.gguf/,
    );
    expect(asked()).toEqual([]);
  });

  it('are fetched once if the repository has their weights in a second form', async () => {
    const files = await filesOf((source) => writeTinyDecoder(source));
    offer({ ...files, 'consolidated.safetensors': WEIGHTS, 'tiny.gguf': GGUF });
    expect((await pull()).skipped).toEqual(['consolidated.safetensors', 'tiny.gguf']);
    const parts = Object.fromEntries([1, 2].map((part) => [`model-0000${part}-of-00002.safetensors`, WEIGHTS]));
    delete files['model.safetensors'];
    const index = JSON.stringify({ weight_map: { a: 'model-00001-of-00002.safetensors' } });
    offer({ ...files, ...parts, 'model.safetensors.index.json': index, 'consolidated.safetensors': WEIGHTS });
    expect((await pull()).skipped).toEqual(['consolidated.safetensors']);
  });

  it('may be of GLiNER2, with the configuration of its encoder', async () => {
    offer(await filesOf((source) => writeTinyGliner2(source)));
    const { manifest, folder: at } = await pull();
    expect(manifest).toMatchObject({ architecture: 'gliner2', isGliner2: true });
    expect(await verify(at)).toEqual(manifest);
  });

  it('are refused as GLiNER2 before their weights are fetched if only the torch engine runs them, and it is not here', async () => {
    offer(await filesOf((source) => writeTinyGliner2(source, { model_type: 'bert' })));
    await expect(pull({ hasTorch: false })).rejects.toThrow(
      /^ada\/tiny\/encoder_config\/config\.json: model_type must be deberta-v2, unless the torch engine/,
    );
    expect(asked().filter((path) => path.endsWith('.safetensors'))).toEqual([]);
    expect(await readdir(own)).toEqual([]);
  });

  it('are fetched with the token of a permitted account, which is sent to the hub only', async () => {
    server.accounts.set('hf_ada', { name: 'ada', mayWrite: false });
    server.repositories.get('ada/tiny')!.isGated = true;
    server.accounts.set('hf_bob', { name: 'bob', mayWrite: false });
    for (const token of [null, 'hf_bob'])
      await expect(pull({ token })).rejects.toThrow(/^ANNEAL_HUB_TOKEN: must be of an account that has been given acc/);
    const storage = await server.startStorage();
    const trusting = openEgress({ trusted: [server.url, storage.url] });
    try {
      const asked = { from: 'ada/tiny', id: null, licence: null, file: null, token: 'hf_ada' };
      await Array.fromAsync(pullModel(asked, [own], new Hub(server.url, trusting)));
    } finally {
      await trusting.close();
      await storage.close();
    }
    expect(storage.seen.length).toBeGreaterThan(0);
    expect(storage.seen.filter(({ token }) => token !== null)).toEqual([]);
    expect(server.sawInAddresses('hf_ada')).toBe(false);
  });

  it.each([
    ['an invalid name', { from: 'ada/../tiny' }, /must be like org\/name or org\/name@revision/],
    ['an invalid revision', { from: 'ada/tiny@a b' }, /must be like org\/name or org\/name@revision/],
    ['an id that is taken by the project', { id: 'anneal/tiny' }, /must not begin with anneal\//],
    ['a missing repository', { from: 'ada/nothing' }, /ada\/nothing/],
    ['a missing revision', { from: 'ada/tiny@v9' }, /ada\/tiny@v9/],
  ])('are refused by %s', async (_, options, message) => {
    await expect(pull(options)).rejects.toThrow(message);
  });

  it('are removed along with leftovers of an interrupted download', async () => {
    await pull();
    await mkdir(join(own, 'ada--tiny.pulled'));
    expect(await removeModel('ada/tiny', own)).toBe(true);
    expect(await readdir(own)).toEqual([]);
  });
});
