import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hub } from '../hub/index.js';
import { openEgress, type Egress } from '#primitives/egress/index.js';
import { HubServer } from '#test/hub-server/index.js';
import { findPack, importPack, KNOWN_PACKS, PACK_FILES, PackError, pullPack, readPack, removePack } from './index.js';
import type { KnownPack, PackFile } from './index.js';

const content: Record<PackFile, Buffer> = {
  'model.onnx': Buffer.from('weights'.repeat(1_000)),
  'tokenizer.json': Buffer.from('{"words":[]}'),
};
const upstream = (file: PackFile, path: string) => ({
  path,
  bytes: content[file].length,
  sha256: createHash('sha256').update(content[file]).digest('hex'),
});
const small: KnownPack = {
  ...KNOWN_PACKS[0]!,
  name: 'small',
  repository: 'ada/small',
  revision: null,
  files: {
    'model.onnx': upstream('model.onnx', 'onnx/model.onnx'),
    'tokenizer.json': upstream('tokenizer.json', 'tokenizer.json'),
  },
};
const known = [small];

describe('encoder packs', () => {
  let folder: string;
  let own: string;
  let source: string;
  let server: HubServer;
  let egress: Egress;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packs-'));
    own = join(folder, 'models');
    source = join(folder, 'source');
    await mkdir(source);
    for (const file of PACK_FILES) await writeFile(join(source, file), content[file]);
    server = await HubServer.start();
    const files = { 'onnx/model.onnx': content['model.onnx'], 'tokenizer.json': content['tokenizer.json'] };
    server.add('ada/small', files, ['onnx/model.onnx']).isModel = true;
    egress = openEgress({ trusted: [server.url] });
  });
  afterEach(async () => {
    await egress.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const pull = async (name = 'small', others: readonly string[] = []) => {
    const pulling = pullPack(name, [own, ...others], new Hub(server.url, egress), undefined, known);
    const progress = [];
    for (;;) {
      const { done, value } = await pulling.next();
      if (done) return { ...value, progress };
      progress.push(value);
    }
  };
  const downloads = () => server.seen.filter(({ path }) => path.startsWith('/storage/'));

  it('are fetched from the hub, verified and stored with a manifest', async () => {
    const { folder: at, wasHere, progress } = await pull();
    expect([at, wasHere]).toEqual([join(own, 'small'), false]);
    expect(progress.at(-1)).toEqual({ done: 7_012, total: 7_012 });
    expect((await readdir(at)).sort()).toEqual(['manifest.json', 'model.onnx', 'tokenizer.json']);
    expect(Buffer.from(readPack(small, at).model)).toEqual(content['model.onnx']);
    expect(await readdir(own)).toEqual(['small']);
  });

  it('are not fetched again if a folder has them', async () => {
    await importPack(source, join(folder, 'others'), known);
    const { folder: at, wasHere } = await pull('small', [join(folder, 'others')]);
    expect([at, wasHere]).toEqual([join(folder, 'others', 'small'), true]);
    expect(server.seen).toEqual([]);
  });

  it('are fetched from where an interrupted download stopped', async () => {
    server.fault = (exchange) => {
      if (!exchange.address.pathname.startsWith('/storage/')) return false;
      if (exchange.request.headers.range === 'bytes=0-0') return false;
      exchange.sendHalf(content['model.onnx']);
      return true;
    };
    await expect(pull()).rejects.toThrow(/hub/);
    const ranges: unknown[] = [];
    server.fault = ({ request, address }) => {
      if (address.pathname.startsWith('/storage/')) ranges.push(request.headers.range);
      return false;
    };
    const { progress } = await pull();
    expect(progress[0]!.done).toBe(3_500);
    expect(ranges).toContain('bytes=3500-');
    expect(findPack(small, [own])).toBe(join(own, 'small'));
  });

  it('are refused and deleted if a byte differs, so that the next download starts over', async () => {
    const changed = Buffer.from(content['model.onnx']);
    changed[100]! ^= 1;
    server.add('ada/small', { 'onnx/model.onnx': changed });
    await expect(pull()).rejects.toThrow(/model\.onnx is not the model\.onnx of small: its sha256 is/);
    expect(await readdir(own)).toEqual([]);
    server.add('ada/small', { 'onnx/model.onnx': content['model.onnx'] });
    expect((await pull()).wasHere).toBe(false);
  });

  it('are imported from a folder, and recognised by their hashes', async () => {
    expect((await importPack(source, own, known)).name).toBe('small');
    expect((await importPack(join(own, 'small'), own, known)).name).toBe('small');
    expect(findPack(small, [own])).toBe(join(own, 'small'));
    expect(downloads()).toEqual([]);
  });

  it.each<[string, PackFile | 'manifest.json', string | null, RegExp]>([
    ['without a model', 'model.onnx', null, /model\.onnx cannot be read \(ENOENT\)/],
    ['without a tokenizer', 'tokenizer.json', null, /tokenizer\.json cannot be read/],
    ['with a model that is not known', 'model.onnx', 'other', /of no known pack .*known are small/],
    ["with another pack's tokenizer", 'tokenizer.json', '{}', /is not the tokenizer\.json of small/],
    ['with a manifest of something else', 'manifest.json', '{}', /manifest\.json does not describe small/],
  ])('are not imported from a folder %s', async (_, file, text, message) => {
    if (text === null) await rm(join(source, file));
    else await writeFile(join(source, file), text);
    const importing = importPack(source, own, known);
    await expect(importing).rejects.toThrow(PackError);
    await expect(importing).rejects.toThrow(message);
    expect(findPack(small, [own])).toBeNull();
  });

  it.each([...PACK_FILES, 'manifest.json'])('are not read when %s was changed on disk', async (file) => {
    await importPack(source, own, known);
    await writeFile(join(own, 'small', file), 'x');
    expect(() => readPack(small, join(own, 'small'))).toThrow(/npx anneal models remove small, then models pull small/);
  });

  it('create the data folder if it is missing, private to its user', async () => {
    const umask = process.umask(0o022);
    try {
      await importPack(source, join(folder, 'data', 'models'), known);
    } finally {
      process.umask(umask);
    }
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
  });

  it('are imported over leftovers of an interrupted import', async () => {
    await importPack(source, own, known);
    await cp(join(own, 'small'), join(own, 'small.replaced'), { recursive: true });
    await importPack(source, own, known);
    expect(findPack(small, [own])).toBe(join(own, 'small'));
    expect(await readdir(own)).toEqual(['small']);
  });

  it('are removed along with leftovers of an interrupted download or import', async () => {
    await importPack(source, own, known);
    await mkdir(join(own, 'small.unfinished'));
    await mkdir(join(own, 'small.replaced'));
    expect(await removePack('small', own, known)).toBe(true);
    expect(await readdir(own)).toEqual([]);
    expect(await removePack('small', own, known)).toBe(false);
  });

  it('have known names only', async () => {
    await expect(pull('../small')).rejects.toThrow('../small is no known pack; known are small');
    await expect(removePack('..', own, known)).rejects.toThrow(PackError);
  });

  it('are pinned by full hashes and commits', () => {
    for (const { files, revision } of KNOWN_PACKS) {
      for (const file of PACK_FILES) expect(files[file].sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(revision ?? 'a'.repeat(40)).toMatch(/^[0-9a-f]{40}$/);
    }
    expect(new Set(KNOWN_PACKS.map(({ name }) => name)).size).toBe(KNOWN_PACKS.length);
  });
});
