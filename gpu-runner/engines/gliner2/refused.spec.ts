import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importGliner } from '#test/gliner/tiny.js';
import { filesOf, writeGliner2 } from '#test/gliner2/tiny.js';
import { RefusedSchemaError } from '../encoder-engine.js';
import { ArtifactError, type LoadedModel } from '../engine.js';
import { drain } from '../steps.js';
import { engine } from './index.js';

interface Tensor {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

const BIAS = 'classifier.2.bias';
const WORDS = 'encoder.embeddings.word_embeddings.weight';
const files = await filesOf('lstm');
const weights = files['model.safetensors']!;

/** The weights with another header. */
function withHeader(change: (header: Record<string, Tensor>) => object): Buffer {
  const end = 8 + Number(weights.readBigUInt64LE());
  const json = Buffer.from(JSON.stringify(change(JSON.parse(weights.toString('utf8', 8, end)) as never)));
  return Buffer.concat([lengthOf(json.length), json, weights.subarray(end)]);
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes));
  return length;
}

/** With one tensor under a name that is not asked for. */
const renamed = ({ ...tensors }: Record<string, Tensor>, name: string): object => {
  const { [name]: tensor, ...others } = tensors;
  return { ...others, x: tensor };
};

const withTensor = (name: string, change: Partial<Tensor>) =>
  withHeader((header) => ({ ...header, [name]: { ...header[name], ...change } }));

const configured = (name: string, change: object) => ({
  [name]: JSON.stringify({ ...(JSON.parse(files[name]!.toString()) as object), ...change }),
});
const encoder = (change: object) => configured('encoder_config/config.json', change);

/** Imports the files of a model with others instead, and loads it. */
async function loaded(others: Readonly<Record<string, string | Buffer>>): Promise<LoadedModel> {
  const folder = await mkdtemp(join(tmpdir(), 'gliner2-'));
  try {
    await writeGliner2(join(folder, 'source'), 'lstm', others);
    return engine.load(await importGliner(join(folder, 'source'), 'ada/gliner2', join(folder, 'models')), null);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('a GLiNER2 model', () => {
  it.each<[string, Record<string, string | Buffer>, RegExp]>([
    ['of another encoder', encoder({ model_type: 'bert' }), /model_type must be deberta-v2, unless the torch engine/],
    [
      'of another architecture',
      configured('config.json', { architecture: 'boundary' }),
      /architecture must be span, unless/,
    ],
    [
      'of another counting layer',
      configured('config.json', { counting_layer: 'x' }),
      /counting_layer must be one of count_lstm/,
    ],
    ['that pools tokens', configured('config.json', { token_pooling: 'mean' }), /token_pooling must be first/],
    [
      'of very wide spans',
      configured('config.json', { span_head: { max_width: 99 } }),
      /span_head: max_width must be at most 32/,
    ],
    [
      'of a very long window',
      encoder({ max_position_embeddings: 1e6 }),
      /max_position_embeddings must be at most 2048/,
    ],
    ['of an unknown activation', encoder({ hidden_act: 'mish' }), /hidden_act must be one of gelu/],
    ['of no layers', encoder({ num_hidden_layers: -1 }), /num_hidden_layers must be a whole number above 0/],
    [
      'of heads that do not fit',
      encoder({ num_attention_heads: 3 }),
      /hidden_size must be a multiple of num_attention_heads/,
    ],
    ['of an even convolution', encoder({ conv_kernel_size: 2 }), /conv_kernel_size must be odd/],
    ['of no precision', encoder({ layer_norm_eps: 'x' }), /layer_norm_eps must be a number between 0 and 1/],
  ])('%s is refused by name', async (_, others, message) => {
    await expect(loaded(others)).rejects.toThrow(ArtifactError);
    await expect(loaded(others)).rejects.toThrow(message);
  });

  it.each<[string, Buffer, RegExp]>([
    [
      'has a tensor of another shape',
      withTensor(BIAS, { shape: [1, 1] }),
      /must be of the shape 1, by config\.json \(got 1 x 1\)/,
    ],
    ['has a tensor of another type', withTensor(BIAS, { dtype: 'I32' }), /must be of F32, F16, BF16 \(got "I32"\)/],
    ['lacks a tensor', withHeader((header) => renamed(header, BIAS)), /classifier\.2\.bias is missing/],
    ['has no table of words', withHeader((header) => renamed(header, WORDS)), /word_embeddings\.weight is missing/],
    [
      'has a tensor that is not asked for',
      withHeader((header) => ({ ...header, 'x.weight': { dtype: 'F32', shape: [0], data_offsets: [0, 0] } })),
      /x\.weight is not part of the model/,
    ],
  ])('whose file of weights %s is refused', async (_, content, message) => {
    await expect(loaded({ 'model.safetensors': content })).rejects.toThrow(ArtifactError);
    await expect(loaded({ 'model.safetensors': content })).rejects.toThrow(message);
  });

  it('whose tokenizer is of another model is refused', async () => {
    const tokenizer = files['tokenizer.json']!.toString();
    await expect(loaded({ 'tokenizer.json': '[' })).rejects.toThrow(/tokenizer\.json cannot be read/);
    await expect(loaded({ 'tokenizer.json': tokenizer.replaceAll('[SEP_TEXT]', '[OTHER]') })).rejects.toThrow(
      /^tokenizer\.json has no token \[SEP_TEXT\]/,
    );
    const [rows, size] = [10, 8];
    const few = withHeader((header) => {
      const { data_offsets: offsets, ...words } = header[WORDS]!;
      const [begin, end] = offsets;
      const cut = begin + rows * size * 4;
      const rest = { dtype: 'U8', shape: [end - cut], data_offsets: [cut, end] };
      const table = { ...words, shape: [rows, size], data_offsets: [begin, cut] };
      return { ...header, [WORDS]: table, 'x.position_ids': rest };
    });
    await expect(loaded({ 'model.safetensors': few })).rejects.toThrow(
      /gives tokens that model\.safetensors does not know/,
    );
  });

  it('whose weights are no numbers is refused when it runs', async () => {
    const {
      data_offsets: [begin],
    } = (JSON.parse(weights.toString('utf8', 8, 8 + Number(weights.readBigUInt64LE()))) as Record<string, Tensor>)[
      'span_rep.span_rep_layer.out_project.3.bias'
    ]!;
    const broken = Buffer.from(weights);
    broken.writeFloatLE(NaN, 8 + Number(weights.readBigUInt64LE()) + begin);
    const model = await loaded({ 'model.safetensors': broken });
    const asked = { texts: ['Ada'], schema: { entities: [{ name: 'person' }] }, threshold: null };
    expect(() => drain(model.infer(asked))).toThrow(/scores that are not numbers/);
  });

  it('with a file that was changed after its import is refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gliner2-'));
    try {
      await writeGliner2(join(folder, 'source'), 'lstm');
      const imported = await importGliner(join(folder, 'source'), 'ada/gliner2', join(folder, 'models'));
      for (const name of ['model.safetensors', 'tokenizer.json', 'config.json', 'encoder_config/config.json']) {
        const copy = join(folder, 'copy');
        await cp(imported, copy, { recursive: true });
        await writeFile(join(copy, name), '{}');
        expect(() => engine.load(copy, null)).toThrow(ArtifactError);
        expect(() => engine.load(copy, null)).toThrow(/differs from the imported one: import the model again/);
        await rm(join(copy, name));
        expect(() => engine.load(copy, null)).toThrow(/cannot be read \(ENOENT\)/);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is not trained, and takes no adapter', async () => {
    expect(() => engine.load('/models/x', '/adapters/x')).toThrow(ArtifactError);
    await expect(engine.train(undefined as never, () => undefined, undefined as never)).rejects.toThrow(/torch engine/);
  });

  it('refuses schemas that it cannot read', async () => {
    const model = await loaded({});
    const infer =
      (schema: object, threshold = 0.5) =>
      () =>
        drain(model.infer({ texts: ['Ada met Bob.'], schema, threshold }));
    const many = Array.from({ length: 99 }, (_, at) => ({ name: `label ${at}` }));
    expect(infer({ entities: many })).toThrow(RefusedSchemaError);
    expect(infer({ relations: [{ name: 'x', description: 'y'.repeat(10_001) }] })).toThrow(
      /description of 10004 characters/,
    );
    expect(infer({})()).toMatchObject({ results: [{ truncated: false }] });
  });
});
