import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tinySafetensors } from '../safetensors/tiny.fixture.js';

interface TinyDecoder {
  readonly contextTokens?: number;
  /** null: none. */
  readonly template?: string | null;
  /** More fields of `config.json`. */
  readonly config?: object;
}

/** Files as the hub has them, with weights of a few bytes: enough to be imported, not to be loaded. */
export async function writeTinyDecoder(
  folder: string,
  { contextTokens = 64, template = 'hello', config = {} }: TinyDecoder = {},
): Promise<void> {
  const files = {
    'config.json': JSON.stringify({
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      max_position_embeddings: contextTokens,
      ...config,
    }),
    'tokenizer.json': '{}',
    'tokenizer_config.json': JSON.stringify(template === null ? {} : { chat_template: template }),
    'model.safetensors': tinySafetensors(),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

/** A GGUF file without tensors. */
export function tinyGguf(facts: Readonly<Record<string, string | number | readonly string[]>>): Buffer {
  const uint32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const uint64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
  const text = (value: string) => Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)]);
  const valueOf = (value: string | number | readonly string[]) => {
    if (typeof value === 'string') return [uint32(8), text(value)];
    if (typeof value === 'number') return [uint32(4), uint32(value)];
    return [uint32(9), uint32(8), uint64(value.length), ...value.map(text)];
  };
  const entries = Object.entries(facts).flatMap(([name, value]) => [text(name), ...valueOf(value)]);
  return Buffer.concat([Buffer.from('GGUF'), uint32(3), uint64(0), uint64(Object.keys(facts).length), ...entries]);
}
