import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HubServer } from '#test/hub-server/index.js';
import { openEgress, type Egress } from '#primitives/egress/index.js';
import { Hub } from '../hub/index.js';
import { ImportError, importModel, pullModel, verify } from './index.js';

const CONFIG = { span_mode: 'markerV0', max_width: 12, encoder_config: { max_position_embeddings: 512 } };
const configured = (fields: object) => ({ 'gliner_config.json': JSON.stringify({ ...CONFIG, ...fields }) });
const GRAPH = 'graph'.repeat(100);
const FILES: Readonly<Record<string, string>> = {
  ...configured({}),
  'tokenizer.json': '{}',
  'tokenizer_config.json': '{"model_max_length": 1e30}',
  'onnx/model.onnx': GRAPH,
};
const { 'onnx/model.onnx': _, ...WITHOUT_GRAPH } = FILES;

describe('imported GLiNER models', () => {
  let folder: string;
  let own: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'imported-gliner-'));
    own = join(folder, 'models');
  });
  afterEach(() => rm(folder, { recursive: true }));

  describe('of a folder', () => {
    const take = async (files: Readonly<Record<string, string>>) => {
      const source = await mkdtemp(join(folder, 'source-'));
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(source, name)), { recursive: true });
        await writeFile(join(source, name), content);
      }
      const copy = importModel(source, { id: 'ada/gliner', licence: null }, own);
      for (;;) {
        const { done, value } = await copy.next();
        if (done) return value;
      }
    };

    it('have one graph with its configuration and tokenizer, and none of the other weights', async () => {
      const others = { 'onnx/model_fp16.onnx': 'x', 'config.json': '{}', 'model.safetensors': 'x', 'a.gguf': 'x' };
      const {
        manifest,
        skipped,
        folder: at,
      } = await take({ ...FILES, ...others, LICENSE: 'MIT', 'onnx/notes.txt': '' });
      expect(manifest).toMatchObject({
        ...{ kind: 'anneal-encoder', architecture: 'gliner', format: 'onnx', contextTokens: 512 },
      });
      expect(Object.keys(manifest.files)).toEqual(['LICENSE', ...Object.keys(FILES)]);
      expect(skipped.toSorted()).toEqual([...Object.keys(others), 'onnx/notes.txt'].toSorted());
      expect(await verify(at)).toEqual(manifest);
    });

    it.each<[string, Record<string, string>, string]>([
      ['at the top', { 'model.onnx': GRAPH }, 'model.onnx'],
      ['of another name, the only one', { 'onnx/model_int8.onnx': GRAPH }, 'onnx/model_int8.onnx'],
      ['called model.onnx', { 'model_a.onnx': 'x', 'model.onnx': GRAPH }, 'model.onnx'],
    ])('take the graph %s', async (__, graphs, chosen) => {
      const { manifest } = await take({ ...WITHOUT_GRAPH, ...graphs });
      expect(Object.keys(manifest.files).filter((name) => name.endsWith('.onnx'))).toEqual([chosen]);
    });

    it.each<[string, Record<string, string>, number]>([
      ['of the tokenizer', { 'tokenizer_config.json': '{"model_max_length": 256}' }, 256],
      [
        'without unused positions',
        configured({ encoder_config: { model_type: 'xlm-roberta', max_position_embeddings: 514, pad_token_id: 1 } }),
        512,
      ],
      ['that is usual where the configuration has none', configured({ encoder_config: null }), 512],
    ])('have the window %s', async (__, files, contextTokens) => {
      expect((await take({ ...FILES, ...files })).manifest).toMatchObject({ contextTokens });
    });

    it.each<[string, Record<string, string>, RegExp]>([
      [
        'no graph',
        { 'onnx/model.onnx': '' },
        /has gliner_config\.json, but no \.onnx file: write one with export_to_onnx/,
      ],
      [
        'several graphs',
        { 'onnx/model.onnx': '', 'onnx/a.onnx': 'x', 'b.onnx': 'x' },
        /has 2 \.onnx files: pull one by --file, or leave one in \(b\.onnx, onnx\/a\.onnx\)$/,
      ],
      [
        'numbers beside the graph',
        { 'onnx/model.onnx_data': 'x' },
        /has numbers of onnx\/model\.onnx in onnx\/model\.onnx_data/,
      ],
      ['no tokenizer', { 'tokenizer.json': '' }, /has no tokenizer\.json/],
      ['a pickle', { 'pytorch_model.bin': 'x' }, /pytorch_model\.bin is in a format of pickles/],
      ['a damaged configuration', { 'gliner_config.json': '{' }, /gliner_config\.json cannot be read/],
      ['code', configured({ auto_map: {} }), /gliner_config\.json asks for code/],
      [
        'an unknown span mode',
        configured({ span_mode: 'lines' }),
        /span_mode must be token_level or one of marker, .*\(got "lines"\)/,
      ],
      [
        'another splitter',
        configured({ words_splitter_type: 'mecab' }),
        /words_splitter_type must be whitespace \(got "mecab"\)/,
      ],
      [
        'an encoder of labels',
        configured({ labels_encoder: 'bert' }),
        /labels_encoder gives the model an encoder of its own/,
      ],
      ['a decoder of labels', configured({ labels_decoder: 'gpt2' }), /labels_decoder gives the model a decoder/],
      [
        'a head for relations',
        configured({ relations_layer: 'biaffine' }),
        /relations_layer gives the model a head for relations/,
      ],
      [
        'fixed labels',
        configured({ precomputed_prompts_mode: true }),
        /precomputed_prompts_mode gives the model labels/,
      ],
      ['a stream', configured({ model_type: 'gliner_streaming_span' }), /model_type makes it a streaming model/],
      [
        'an unknown pooling',
        configured({ subtoken_pooling: 'sum' }),
        /subtoken_pooling must be one of first, last, mean, max/,
      ],
      ['no width', configured({ max_width: 0 }), /max_width must be a whole number above 0/],
      [
        'a mark that may be a word',
        configured({ ent_token: 'ENT' }),
        /ent_token must be a text with signs, .*\(got "ENT"\)/,
      ],
      [
        'no positions',
        configured({ encoder_config: { max_position_embeddings: 'x' } }),
        /max_position_embeddings must be a whole/,
      ],
    ])('are refused for %s, and leave nothing', async (__, changed, message) => {
      const files = Object.entries({ ...FILES, ...changed }).filter(([, content]) => content !== '');
      const taking = take(Object.fromEntries(files));
      await expect(taking).rejects.toThrow(ImportError);
      await expect(taking).rejects.toThrow(message);
      expect(await readdir(own).catch(() => [])).toEqual([]);
    });
  });

  describe('of the hub', () => {
    let server: HubServer;
    let egress: Egress;
    beforeEach(async () => {
      server = await HubServer.start();
      egress = openEgress({ trusted: [server.url] });
    });
    afterEach(async () => {
      await egress.close();
      await server.close();
    });

    const pull = async (files: Readonly<Record<string, string>>, file: string | null = null) => {
      server.repositories.delete('ada/gliner');
      server.add(
        'ada/gliner',
        files,
        Object.keys(files).filter((name) => name.endsWith('.onnx')),
      ).isModel = true;
      const options = { from: 'ada/gliner', id: null, licence: null, file, token: null };
      const pulling = pullModel(options, [own], new Hub(server.url, egress));
      for (;;) {
        const { done, value } = await pulling.next();
        if (done) return value;
      }
    };
    const OTHERS = { 'onnx/model_int8.onnx': 'x', 'pytorch_model.bin': 'x', 'README.md': '# GLiNER' };

    it('are fetched with one graph, model.onnx or the requested one', async () => {
      const { manifest, skipped, folder: at } = await pull({ ...FILES, ...OTHERS });
      expect(manifest).toMatchObject({ architecture: 'gliner', format: 'onnx', files: { 'onnx/model.onnx': {} } });
      expect(skipped).toEqual(['onnx/model_int8.onnx', 'pytorch_model.bin']);
      expect(await verify(at)).toEqual(manifest);
      const other = await pull({ ...FILES, ...OTHERS }, 'onnx/model_int8.onnx');
      expect(Object.keys(other.manifest.files)).toContain('onnx/model_int8.onnx');
      expect(Object.keys(other.manifest.files)).not.toContain('onnx/model.onnx');
    });

    it('have the requested graph, also after an interrupted pull of another', async () => {
      server.fault = (exchange) => {
        const isStorage = exchange.address.pathname.startsWith('/storage/');
        if (!isStorage || exchange.request.headers.range === 'bytes=0-0') return false;
        exchange.sendHalf(Buffer.from(GRAPH));
        return true;
      };
      await expect(pull({ ...FILES, ...OTHERS })).rejects.toThrow(/hub/);
      server.fault = null;
      const { manifest } = await pull({ ...FILES, ...OTHERS }, 'onnx/model_int8.onnx');
      expect(Object.keys(manifest.files)).toContain('onnx/model_int8.onnx');
    });

    it('are refused by their configuration before the graph is fetched', async () => {
      await expect(pull({ ...FILES, ...configured({ labels_encoder: 'bert' }) })).rejects.toThrow(
        /^ada\/gliner\/gliner_config\.json: labels_encoder gives/,
      );
      expect(server.seen.some(({ path }) => path.includes('/resolve') && path.endsWith('.onnx'))).toBe(false);
      expect(await readdir(own)).toEqual([]);
    });

    it.each<[string, string, RegExp]>([
      ['a graph that is not there', 'onnx/no.onnx', /^ada\/gliner has no onnx\/no\.onnx; it has onnx\/model\.onnx$/],
      [
        'a file of another kind',
        'tokenizer.json',
        /^--file must name a \.gguf file, or an \.onnx file of a GLiNER model/,
      ],
    ])('are refused for %s', async (__, file, message) => {
      await expect(pull(FILES, file)).rejects.toThrow(message);
    });
  });
});
