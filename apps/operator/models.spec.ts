import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '#domain/json.js';
import { writeTinyDecoder } from '#models/imported/tiny-decoder.fixture.js';
import { KNOWN_PACKS } from '#models/packs/index.js';
import { filesIn, HubServer } from '#test/hub-server/index.js';
import { modelOperations } from './models.js';
import { OperationError } from './operation.js';

describe("an operator's encoder packs", () => {
  let dataDir: string;
  let server: HubServer;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-models-'));
    server = await HubServer.start();
  });
  afterEach(async () => {
    await server.close();
    await rm(dataDir, { recursive: true });
  });

  const ask = (operation: string, args: JsonObject = {}) => {
    const operations = modelOperations({
      dataDir,
      modelsDir: null,
      enginesDir: null,
      hubUrl: server.url,
      hubToken: null,
    });
    return Array.fromAsync(operations[operation]!(args, AbortSignal.timeout(300_000)));
  };

  it('are listed with licence, size and origin, whether installed or not', async () => {
    const listed = await ask('models.list');
    expect(listed).toHaveLength(KNOWN_PACKS.length);
    expect(listed[0]).toEqual({
      name: 'bge-small-en-v1.5',
      licence: 'MIT',
      bytes: 34_725_822,
      repository: 'Xenova/bge-small-en-v1.5',
      revision: 'ea104dacec62c0de699686887e3f920caeb4f3e3',
      folder: null,
    });
  });

  it.each<[string, string, () => JsonObject, RegExp]>([
    ['a name that is not known', 'models.pull', () => ({ name: 'nope' }), /nope is no known pack; known are bge-small/],
    ['a hub without it', 'models.pull', () => ({ name: 'e5-small-v2' }), /Xenova\/e5-small-v2/],
    ['a folder without a model', 'models.import', () => ({ folder: dataDir }), /model\.onnx cannot be read \(ENOENT\)/],
    [
      'a model that is not a decoder',
      'models.import',
      () => ({ folder: dataDir, id: 'a/b' }),
      /must hold either config\.json/,
    ],
    ['one that is not here', 'models.remove', () => ({ name: 'e5-small-v2' }), /holds no pack e5-small-v2/],
  ])('cannot be installed with %s, and one line says so', async (_, operation, args, message) => {
    const asked = ask(operation, args());
    await expect(asked).rejects.toThrow(OperationError);
    await expect(asked).rejects.toThrow(message);
  });

  it('are not imported from a file that is not a known model', async () => {
    await writeFile(join(dataDir, 'model.onnx'), 'something else');
    await expect(ask('models.import', { folder: dataDir })).rejects.toThrow(/of no known pack \(sha256 [0-9a-f]{64}\)/);
  });

  it('are listed beside imported decoders, which are listed and removed by their ids', async () => {
    await writeTinyDecoder(dataDir);
    await writeFile(join(dataDir, 'notes.md'), '');
    const shown = {
      name: 'ada/tiny',
      licence: 'MIT',
      bytes: expect.any(Number) as number,
      repository: null,
      revision: null,
      folder: join(dataDir, 'models', 'ada--tiny'),
      kind: 'decoder',
      format: 'safetensors',
      context_window: 64,
      instruct: true,
    };
    const frames = await ask('models.import', { folder: dataDir, id: 'ada/tiny', licence: 'MIT' });
    expect(frames.at(-1)).toEqual({ ...shown, skipped: ['notes.md'] });
    expect((await ask('models.list')).at(-1)).toEqual(shown);
    expect(await ask('models.remove', { name: 'ada/tiny' })).toEqual([{ name: 'ada/tiny', removed: true }]);
    await expect(ask('models.remove', { name: 'ada/tiny' })).rejects.toThrow(
      /holds no model ada\/tiny; models in ANNEAL/,
    );
  });

  it('are listed beside models of the hub, which show repository and commit', async () => {
    const source = join(dataDir, 'source');
    await mkdir(source);
    await writeTinyDecoder(source);
    const repository = server.add('ada/tiny', await filesIn(source));
    repository.isModel = true;
    const frames = await ask('models.pull', { name: 'ada/tiny@main', id: 'ada/pulled', licence: null, file: null });
    expect(frames[0]).toEqual({ progress: { done: 0, total: 0, unit: 'MB' } });
    const origin = { repository: 'ada/tiny', revision: repository.head.oid };
    expect(frames.at(-1)).toMatchObject({ name: 'ada/pulled', ...origin, kind: 'decoder', skipped: [] });
    expect((await ask('models.list')).at(-1)).toMatchObject({ name: 'ada/pulled', ...origin });
    const pack = ask('models.pull', { name: 'e5-small-v2', id: 'a/b', licence: null, file: null });
    await expect(pack).rejects.toThrow('--id is for models like org/name; e5-small-v2 is a pack');
  });

  it("are not fetched if the hub's file has another size", async () => {
    const files = { 'onnx/model_quantized.onnx': 'changed', 'tokenizer.json': '{}' };
    const repository = server.add('Xenova/bge-small-en-v1.5', files);
    repository.isModel = true;
    repository.commits.push({ ...repository.head, oid: KNOWN_PACKS[0]!.revision! });
    const pulled = ask('models.pull', { name: 'bge-small-en-v1.5' });
    await expect(pulled).rejects.toThrow(/has 7 bytes, not 34014426: the hub has another file now/);
  });
});
