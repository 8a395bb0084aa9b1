import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGguf } from '#models/imported/gguf.js';
import { ArtifactError } from '../engine.js';
import { adapterGguf } from './adapter-gguf.js';

const LAYER = 'base_model.model.model.layers.0';
const LLAMA = { architecture: 'llama', heads: 2, keyValueHeads: 1 };

/** A safetensors file of matrices with one column, whose rows are numbered. */
function safetensors(rowsByName: Readonly<Record<string, number>>, dtype = 'F32'): Buffer {
  let at = 0;
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const numbers: Buffer[] = [];
  for (const [name, rows] of Object.entries(rowsByName)) {
    header[name] = { dtype, shape: [rows, 1], data_offsets: [at, (at += 4 * rows)] };
    numbers.push(Buffer.from(Float32Array.from({ length: rows }, (_, row) => row).buffer));
  }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...numbers]);
}

describe('an adapter of peft as a GGUF file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'llama-adapter-'));
    await writeFile(join(folder, 'adapter_config.json'), '{"lora_alpha": 16, "r": 1}');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const converted = async (weights: Buffer, base = LLAMA) => {
    await writeFile(join(folder, 'adapter_model.safetensors'), weights);
    return Buffer.from(await adapterGguf(folder, base));
  };
  /** The numbers of a file's last tensor. */
  const last = (file: Buffer, count: number) => {
    const at = file.length - Math.ceil((count * 4) / 32) * 32;
    return Array.from({ length: count }, (_, index) => file.readFloatLE(at + index * 4));
  };

  it('has the names of llama.cpp, its facts and its alignment', async () => {
    const file = await converted(
      safetensors({ [`${LAYER}.mlp.down_proj.lora_A.weight`]: 1, [`${LAYER}.mlp.down_proj.lora_B.weight`]: 3 }),
    );
    const path = join(folder, 'adapter.gguf');
    await writeFile(path, file);
    expect(readGguf(path)).toMatchObject({ architecture: 'llama' });
    const text = file.toString('latin1');
    for (const word of ['blk.0.ffn_down.weight.lora_a', 'blk.0.ffn_down.weight.lora_b', 'adapter.lora.alpha'])
      expect(text).toContain(word);
    expect(file.length % 32).toBe(0);
    expect(last(file, 3)).toEqual([0, 1, 2]);
  });

  it.each([
    // Two heads of four rows; one head of eight.
    ['queries', 'q_proj', [0, 2, 1, 3, 4, 6, 5, 7]],
    ['keys', 'k_proj', [0, 4, 1, 5, 2, 6, 3, 7]],
    ['values', 'v_proj', [0, 1, 2, 3, 4, 5, 6, 7]],
  ])("has the rows of %s in the order of Llama's rotary positions", async (_, layer, rows) => {
    const weights = safetensors({ [`${LAYER}.self_attn.${layer}.lora_B.weight`]: 8 });
    expect(last(await converted(weights), 8)).toEqual(rows);
    const qwen = await converted(weights, { ...LLAMA, architecture: 'qwen2' });
    expect(last(qwen, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it.each([
    [
      'another architecture',
      safetensors({}),
      { ...LLAMA, architecture: 'gemma' },
      'architecture gemma cannot be served',
    ],
    [
      'another layer',
      safetensors({ 'base_model.model.lm_head.lora_A.weight': 1 }),
      LLAMA,
      'lm_head.lora_A.weight cannot be',
    ],
    ['other numbers', safetensors({ [`${LAYER}.mlp.up_proj.lora_A.weight`]: 1 }, 'F16'), LLAMA, 'cannot be read'],
    ['a file that is cut off', safetensors({ a: 1 }).subarray(0, 20), LLAMA, 'cannot be read'],
    ['other heads', safetensors({ [`${LAYER}.self_attn.q_proj.lora_B.weight`]: 3 }), LLAMA, 'another number of heads'],
  ])('is refused for %s', async (_, weights, base, message) => {
    const conversion = converted(weights, base);
    await expect(conversion).rejects.toThrow(ArtifactError);
    await expect(conversion).rejects.toThrow(message);
  });
});
