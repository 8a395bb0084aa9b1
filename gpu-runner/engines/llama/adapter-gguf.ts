import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArtifactError } from '../engine.js';

/** The facts about a base that its adapters' layout depends on. */
interface AdaptedBase {
  /** `general.architecture` of its GGUF file. */
  readonly architecture: string;
  readonly heads: number;
  readonly keyValueHeads: number;
}

interface Tensor {
  readonly name: string;
  /** Rows, columns. */
  readonly shape: readonly [number, number];
  readonly numbers: Float32Array;
}

/** Architectures of models whose adapters are served: their layers have the names below, both as safetensors and as GGUF. */
export const ADAPTABLE = ['llama', 'qwen2', 'qwen3'];
/** GGUF files of Llama have the rows of queries and keys in another order, for another form of rotary positions. */
const REORDERED = ['llama'];
const LAYERS: Readonly<Record<string, string>> = {
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};
const NAME = /^base_model\.model\.model\.layers\.(\d+)\.([a-z_]+\.[a-z_]+)\.lora_([AB])\.weight$/;

const WEIGHTS = 'adapter_model.safetensors';
const CONFIG = 'adapter_config.json';

/**
 * An adapter of peft as a GGUF file, which llama.cpp reads (as its `convert_lora_to_gguf.py` writes it).
 * @throws ArtifactError when it is damaged, or has layers that cannot be converted
 */
export async function adapterGguf(adapterDirectory: string, base: AdaptedBase): Promise<Uint8Array> {
  if (!ADAPTABLE.includes(base.architecture))
    throw new ArtifactError(
      `Adapters on models of architecture ${base.architecture} cannot be served by the llama engine; it takes ${ADAPTABLE.join(', ')}`,
    );
  const { lora_alpha: alpha } = (await readJson(join(adapterDirectory, CONFIG))) as { readonly lora_alpha?: unknown };
  if (typeof alpha !== 'number') throw new ArtifactError('The adapter is damaged: its configuration has no lora_alpha');
  const tensors = readTensors(await readFile(join(adapterDirectory, WEIGHTS)));
  return writeGguf(
    [
      ['general.type', 'adapter'],
      ['general.architecture', base.architecture],
      ['adapter.type', 'lora'],
      ['adapter.lora.alpha', alpha],
    ],
    tensors.map((tensor) => converted(tensor, base)),
  );
}

function converted(tensor: Tensor, { architecture, heads, keyValueHeads }: AdaptedBase): Tensor {
  const [, block, layer = '', side] = NAME.exec(tensor.name) ?? [];
  const name = LAYERS[layer];
  if (name === undefined) throw new ArtifactError(`The adapter's ${tensor.name} cannot be served by the llama engine`);
  const named = { ...tensor, name: `blk.${block}.${name}.weight.lora_${side!.toLowerCase()}` };
  const count = name === 'attn_q' ? heads : keyValueHeads;
  const isReordered = REORDERED.includes(architecture) && (name === 'attn_q' || name === 'attn_k') && side === 'B';
  return isReordered ? { ...named, numbers: reordered(tensor, count) } : named;
}

/** Each head's rows in pairs of its two halves, as llama.cpp rotates them. */
function reordered({ shape: [rows, columns], numbers }: Tensor, heads: number): Float32Array {
  const half = rows / heads / 2;
  if (!Number.isInteger(half)) throw new ArtifactError('The adapter has another number of heads than its base');
  const result = new Float32Array(numbers.length);
  for (let head = 0; head < heads; head += 1)
    for (let part = 0; part < 2; part += 1)
      for (let row = 0; row < half; row += 1) {
        const from = ((head * 2 + part) * half + row) * columns;
        const to = ((head * half + row) * 2 + part) * columns;
        result.set(numbers.subarray(from, from + columns), to);
      }
  return result;
}

/** https://huggingface.co/docs/safetensors: the length of the header (8 bytes), the header as JSON, the numbers. */
function readTensors(file: Buffer): readonly Tensor[] {
  const damaged = () => new ArtifactError(`The adapter is damaged: ${WEIGHTS} cannot be read`);
  if (file.length < 8) throw damaged();
  const length = Number(file.readBigUInt64LE());
  let header: Readonly<Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>>;
  try {
    header = JSON.parse(file.toString('utf8', 8, 8 + length)) as typeof header;
  } catch {
    throw damaged();
  }
  return Object.entries(header).flatMap(([name, { dtype, shape, data_offsets: at }]) => {
    if (name === '__metadata__') return [];
    const [rows = 0, columns = 0] = shape;
    const bytes = file.subarray(8 + length + at[0], 8 + length + at[1]);
    if (dtype !== 'F32' || shape.length !== 2 || bytes.length !== rows * columns * 4) throw damaged();
    // A copy begins at a multiple of 4.
    const numbers = new Float32Array(new Uint8Array(bytes).buffer);
    return [{ name, shape: [rows, columns] as const, numbers }];
  });
}

const ALIGNMENT = 32;
const TYPES = { float32: 6, text: 8 } as const;

/** https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3. Numbers are 32-bit floats. */
function writeGguf(facts: readonly (readonly [string, string | number])[], tensors: readonly Tensor[]): Uint8Array {
  const head: Buffer[] = [Buffer.from('GGUF'), uint32(3), uint64(tensors.length), uint64(facts.length)];
  for (const [key, value] of facts)
    head.push(
      text(key),
      ...(typeof value === 'string' ? [uint32(TYPES.text), text(value)] : [uint32(TYPES.float32), float32(value)]),
    );
  let offset = 0;
  for (const { name, shape, numbers } of tensors) {
    // Dimensions are written from the innermost one; type 0 is F32.
    head.push(text(name), uint32(2), uint64(shape[1]), uint64(shape[0]), uint32(0), uint64(offset));
    offset = aligned(offset + numbers.byteLength);
  }
  const start = aligned(head.reduce((sum, { length }) => sum + length, 0));
  const file = Buffer.alloc(start + offset);
  Buffer.concat(head).copy(file);
  let at = start;
  for (const { numbers } of tensors) {
    Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).copy(file, at);
    at = aligned(at + numbers.byteLength);
  }
  return file;
}

const aligned = (offset: number): number => Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
};

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function uint64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

function float32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatLE(value);
  return buffer;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) ?? {};
  } catch (error) {
    throw new ArtifactError('The adapter is damaged: its configuration cannot be read', { cause: error });
  }
}
