import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImportError, importedModels, importModel, isServedGliner2, removeModel, verify } from './index.js';
import { tinySafetensors } from '../safetensors/tiny.fixture.js';
import { tinyGguf, writeTinyDecoder } from './tiny-decoder.fixture.js';
import { writeTinyEncoder, writeTinyGliner2 } from './tiny-encoder.fixture.js';

describe('imported models', () => {
  let folder: string;
  let own: string;
  let source: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'imported-'));
    own = join(folder, 'data', 'models');
    source = join(folder, 'source');
    await mkdir(source);
    await writeTinyDecoder(source);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const take = async (id = 'ada/tiny', licence: string | null = null, from = source) => {
    const copy = importModel(from, { id, licence }, own);
    for (;;) {
      const { done, value } = await copy.next();
      if (done) return value;
    }
  };

  it('are copied with a manifest of the hash of each file, into a folder that only the owner can read', async () => {
    const umask = process.umask(0o022);
    const { manifest, folder: at, skipped } = await take('ada/tiny', 'MIT').finally(() => process.umask(umask));
    expect(at).toBe(join(own, 'ada--tiny'));
    expect(skipped).toEqual([]);
    expect(manifest).toMatchObject({
      kind: 'anneal-decoder',
      id: 'ada/tiny',
      licence: 'MIT',
      architecture: 'llama',
      format: 'safetensors',
      contextTokens: 64,
      hasChatTemplate: true,
      takesTools: false,
    });
    const sha256 = createHash('sha256').update(tinySafetensors()).digest('hex');
    expect(manifest.files['model.safetensors']).toEqual({ bytes: tinySafetensors().length, sha256 });
    expect(Object.keys(manifest.files)).toEqual([
      'config.json',
      'model.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    expect(importedModels([own])).toEqual([{ folder: at, manifest }]);
    expect(await verify(at)).toEqual(manifest);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
  });

  it('report the progress of the copy', async () => {
    const progress = await Array.fromAsync(importModel(source, { id: 'ada/tiny', licence: null }, own));
    const { total } = progress[0]!;
    expect(progress[0]).toEqual({ done: 0, total: expect.any(Number) });
    expect(progress.at(-1)).toEqual({ done: total, total });
  });

  it('are copied from the links of a hub cache, without unneeded files, which are named', async () => {
    const snapshot = join(folder, 'cache', 'snapshots', 'a1b2');
    await mkdir(join(folder, 'cache', 'blobs'), { recursive: true });
    await mkdir(join(folder, 'cache', 'snapshots'));
    await rename(source, snapshot);
    await rename(join(snapshot, 'model.safetensors'), join(folder, 'cache', 'blobs', 'c3d4'));
    await symlink('../../blobs/c3d4', join(snapshot, 'model.safetensors'));
    await writeFile(join(snapshot, '.gitattributes'), '');
    await mkdir(join(snapshot, 'onnx'));
    const { folder: at, skipped } = await take('ada/tiny', null, snapshot);
    expect(skipped).toEqual(['.gitattributes', 'onnx/']);
    expect((await stat(join(at, 'model.safetensors'))).isFile()).toBe(true);
    expect(await readdir(at)).not.toContain('.gitattributes');
  });

  it('are recognised by a chat template in either of its places', async () => {
    await writeTinyDecoder(source, { template: null });
    expect((await take()).manifest).toMatchObject({ hasChatTemplate: false });
    await writeFile(join(source, 'chat_template.jinja'), 'hello');
    expect((await take()).manifest).toMatchObject({ hasChatTemplate: true });
  });

  it.each([
    ["{{ tools }} <tool_call> {'arguments': 1}", true],
    ['{{ tools }} <tool_call> <function=f> <parameter=p>', true],
    ['{{ tools }} {"parameters": 1} <|python_tag|>', true],
    ['{{ tools }} [TOOL_CALLS]', true],
    ['{{ tools }} <start_function_call>call:', true],
    ['{{ tools }} <|tool_call>call: <tool_call|>', true],
    ['{{ tools }} <|channel|>commentary to=functions.', true],
    ['{{ tools }} <｜tool▁calls▁begin｜>', false],
    ['<tool_call> arguments', false],
  ])('support tools if their template calls them in a known format (%j)', async (template, takesTools) => {
    await writeTinyDecoder(source, { template });
    expect((await take()).manifest).toMatchObject({ takesTools });
  });

  it('use the default one of several templates', async () => {
    const chat_template = [
      { name: 'tool_use', template: 'tools' },
      { name: 'default', template: 'hello' },
    ];
    await writeFile(join(source, 'tokenizer_config.json'), JSON.stringify({ chat_template }));
    expect((await take()).manifest).toMatchObject({ hasChatTemplate: true, takesTools: false });
  });

  it('may be encoders, which have no chat template', async () => {
    await writeTinyEncoder(source);
    const { manifest, folder: at } = await take();
    const { files: _, ...facts } = manifest;
    const known = { architecture: 'bert', format: 'safetensors', contextTokens: 64 };
    expect(facts).toEqual({ kind: 'anneal-encoder', id: 'ada/tiny', licence: null, ...known });
    expect(importedModels([own])).toEqual([{ folder: at, manifest }]);
    expect(await verify(at)).toEqual(manifest);
  });

  it.each([
    ['the positions that are not used', { config: { model_type: 'roberta', pad_token_id: 1 } }, 62],
    ["the tokenizer's limit", { tokenizer: { model_max_length: 48 } }, 48],
    ['a tokenizer without a limit', { tokenizer: { model_max_length: 1e30 } }, 64],
    ['a head for masked words', { config: { architectures: ['BertForMaskedLM'] } }, 64],
  ])('are encoders whose token limit comes from the configuration, by %s', async (_, files, contextTokens) => {
    await writeTinyEncoder(source, files);
    expect((await take()).manifest).toMatchObject({ kind: 'anneal-encoder', contextTokens });
  });

  it.each([
    ['a part of a decoder', { config: { is_decoder: true } }, /makes the encoder a part of a decoder/],
    ['no room', { config: { model_type: 'roberta', max_position_embeddings: 2 } }, /leaves no room for a text/],
    [
      'a padding id that is not a token',
      { config: { model_type: 'mpnet', pad_token_id: -1 } },
      /pad_token_id must be a whole/,
    ],
  ])('are refused as encoders for %s', async (_, files, message) => {
    await writeTinyEncoder(source, files);
    await expect(take()).rejects.toThrow(message);
  });

  it("may be GLiNER2 models, with their encoder's configuration", async () => {
    await writeTinyGliner2(source);
    const { manifest, folder: at, skipped } = await take();
    expect(skipped).toEqual([]);
    expect(manifest).toMatchObject({
      ...{ kind: 'anneal-encoder', architecture: 'gliner2', contextTokens: 96, isGliner2: true },
      files: { 'encoder_config/config.json': { bytes: expect.any(Number) } },
    });
    expect(importedModels([own])).toEqual([{ folder: at, manifest }]);
    expect(await verify(at)).toEqual(manifest);
    await writeFile(join(at, 'encoder_config', 'model.py'), '');
    await expect(verify(at)).rejects.toThrow(/encoder_config\/model\.py was not imported with the model: remove it/);
  });

  it.each([
    ['code', () => writeTinyGliner2(source, { auto_map: {} }), /encoder_config\/config\.json asks for code/],
    ['a missing encoder', () => rm(join(source, 'encoder_config'), { recursive: true }), /config\.json cannot be read/],
    [
      'weights in parts',
      () => rename(join(source, 'model.safetensors'), join(source, 'a.safetensors')),
      /has no model\.saf/,
    ],
  ])('are refused as GLiNER2 for %s', async (_, spoil, message) => {
    await writeTinyGliner2(source);
    await spoil();
    await expect(take()).rejects.toThrow(message);
  });

  it('are refused as GLiNER2 if only the torch engine runs them, and it is not here', async () => {
    await writeTinyGliner2(source, { model_type: 'bert' });
    const importing = (hasTorch: boolean) =>
      Array.fromAsync(importModel(source, { id: 'ada/tiny', licence: null, hasTorch }, own));
    await expect(importing(false)).rejects.toThrow(
      /encoder_config\/config\.json: model_type must be deberta-v2, unless the torch engine is installed \(got "bert"\)/,
    );
    await importing(true);
    expect(importedModels([own]).map(isServedGliner2)).toEqual([false]);
    await writeTinyGliner2(source);
    await importing(false);
    expect(importedModels([own]).map(isServedGliner2)).toEqual([true]);
  });

  it('may be one GGUF file', async () => {
    await rm(source, { recursive: true });
    await mkdir(source);
    const facts = {
      'general.architecture': 'llama',
      'tokenizer.ggml.tokens': ['a', 'bc'],
      'llama.context_length': 2048,
      'tokenizer.chat_template': 'hello',
    };
    await writeFile(join(source, 'tiny.gguf'), tinyGguf(facts));
    expect((await take()).manifest).toMatchObject({
      architecture: 'llama',
      format: 'gguf',
      contextTokens: 2048,
      hasChatTemplate: true,
    });
  });

  it('may be one GGUF file in parts, of which none may be missing', async () => {
    await rm(source, { recursive: true });
    await mkdir(source);
    const facts = { 'general.architecture': 'llama', 'llama.context_length': 2048 };
    await writeFile(join(source, 'tiny-00001-of-00002.gguf'), tinyGguf(facts));
    await expect(take()).rejects.toThrow(/ has no tiny-00002-of-00002\.gguf, one of the 2 parts of a model/);
    await writeFile(join(source, 'tiny-00002-of-00002.gguf'), tinyGguf(facts));
    const { manifest } = await take();
    expect(manifest).toMatchObject({ format: 'gguf', contextTokens: 2048 });
    expect(Object.keys(manifest.files)).toEqual(['tiny-00001-of-00002.gguf', 'tiny-00002-of-00002.gguf']);
  });

  const add = (name: string, content: string | Buffer = 'x') => writeFile(join(source, name), content);
  const without = (name: string) => rm(join(source, name));

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['a pickle', () => add('pytorch_model.bin'), /pytorch_model\.bin is in a format of pickles, whose loading may run/],
    ['code', () => add('modeling_tiny.py'), /modeling_tiny\.py is code, which is never run/],
    ['a wish for code', () => writeTinyDecoder(source, { config: { auto_map: {} } }), /config\.json asks for code/],
    [
      'neither a decoder nor an encoder',
      () => writeTinyDecoder(source, { config: { architectures: ['ViTModel'], model_type: 'vit' } }),
      /must name a causal language model \(\.\.\.ForCausalLM\), or model_type a text encoder \(like bert\); it has "ViTModel" and "vit"/,
    ],
    [
      'a link to a file elsewhere',
      async () => {
        await writeFile(join(folder, 'secret.key'), 'secret');
        await symlink(join(folder, 'secret.key'), join(source, 'vocab.json'));
      },
      /vocab\.json is a link to a file elsewhere/,
    ],
    ['a link to nothing', () => symlink('nowhere', join(source, 'b.json')), /b\.json cannot be read \(ENOENT\)/],
    [
      'weights with a lying header',
      () => add('model.safetensors', tinySafetensors('weights', { shape: [8] })),
      /model\.safetensors is no safetensors file: tensor "w" has 7 bytes, where its shape needs 8/,
    ],
    ['no weights', () => without('model.safetensors'), /has no \.safetensors file/],
    ['no tokenizer', () => without('tokenizer.json'), /has no tokenizer\.json/],
    ['a config that is not JSON', () => add('config.json', '{'), /config\.json cannot be read: /],
    [
      'a part that is missing',
      () => add('model.safetensors.index.json', '{"weight_map": {"a": "model-2.safetensors"}}'),
      /has no model-2\.safetensors, which model\.safetensors\.index\.json names/,
    ],
    ['both formats', () => add('tiny.gguf'), /must hold either config\.json .* \(it has 1 of them, and config\.json\)/],
    ['neither format', () => without('config.json'), /\(it has 0 of them, and no config\.json\)/],
    ['a context of no tokens', () => writeTinyDecoder(source, { contextTokens: 0 }), /max_position_embeddings must be/],
  ])('are refused for %s, and leave nothing', async (_, spoil, message) => {
    await spoil();
    await expect(take()).rejects.toThrow(ImportError);
    await expect(take()).rejects.toThrow(message);
    expect(await readdir(own).catch(() => [])).toEqual([]);
  });

  it.each<[string, Buffer, RegExp]>([
    ['no GGUF file', Buffer.from('GGML and so on'), /is no GGUF file/],
    ['another version', Buffer.from('GGUF\u0009\0\0\0'), /is GGUF of version 9; known are 2 and 3/],
    ['cut off', tinyGguf({ 'general.architecture': 'llama' }).subarray(0, -2), /is cut off/],
    [
      'too long a text',
      Buffer.concat([
        Buffer.from('GGUF\u0003\0\0\0'),
        Buffer.alloc(8),
        Buffer.from([1]),
        Buffer.alloc(7),
        Buffer.alloc(8, 0x7f),
      ]),
      /is damaged: a text of/,
    ],
    ['no context', tinyGguf({ 'general.architecture': 'bert' }), /names no context length/],
  ])('are refused if the GGUF file is %s', async (_, content, message) => {
    await rm(source, { recursive: true });
    await mkdir(source);
    await add('tiny.gguf', content);
    await expect(take()).rejects.toThrow(message);
  });

  it.each(['tiny', 'anneal/tiny', 'a--b/tiny', '../a/b', 'a/b/c', 'a/..', ''])('are refused the id %j', async (id) => {
    await expect(take(id)).rejects.toThrow(/^--id must/);
    await expect(removeModel(id, own)).rejects.toThrow(/^--id must/);
  });

  it('replace an earlier one of the same id', async () => {
    await take();
    await writeFile(join(source, 'model.safetensors'), tinySafetensors('other weights'));
    const { folder: at } = await take();
    expect(await readFile(join(at, 'model.safetensors'), 'utf8')).toBe(tinySafetensors('other weights').toString());
    expect(await readdir(own)).toEqual(['ada--tiny']);
  });

  it('are still found if an import ended after moving the earlier one aside', async () => {
    const { manifest } = await take();
    const aside = join(own, 'ada--tiny.replaced');
    await rename(join(own, 'ada--tiny'), aside);
    expect(importedModels([own])).toEqual([{ folder: aside, manifest }]);
    expect(await verify(aside)).toEqual(manifest);
    await take();
    expect(await readdir(own)).toEqual(['ada--tiny']);
  });

  it('are not used with an added file', async () => {
    const { folder: at } = await take();
    await writeFile(join(at, 'generation_config.json'), '{}');
    await expect(verify(at)).rejects.toThrow(/generation_config\.json was not imported with the model: remove it/);
  });

  it('are not used after a byte has changed, and not listed with a missing file', async () => {
    const { folder: at } = await take();
    await writeFile(join(at, 'model.safetensors'), tinySafetensors('Weights'));
    await expect(verify(at)).rejects.toThrow(/model\.safetensors differs from the imported one/);
    expect(importedModels([own])).toHaveLength(1);
    await rm(join(at, 'model.safetensors'));
    expect(importedModels([own])).toEqual([]);
  });

  it('are removed along with leftovers of interrupted imports', async () => {
    await take();
    await mkdir(join(own, 'ada--tiny.unfinished'));
    await mkdir(join(own, 'ada--tiny.replaced'));
    expect(await removeModel('ada/tiny', own)).toBe(true);
    expect(await readdir(own)).toEqual([]);
    expect(await removeModel('ada/tiny', own)).toBe(false);
  });
});
