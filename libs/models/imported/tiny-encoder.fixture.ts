import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tinySafetensors } from '../safetensors/tiny.fixture.js';

interface TinyEncoder {
  /** More fields of `config.json`. */
  readonly config?: object;
  readonly tokenizer?: object;
}

/** As `writeTinyEncoder`, in the format of the `gliner2` package. */
export async function writeTinyGliner2(folder: string, encoderConfig: object = {}): Promise<void> {
  await writeTinyEncoder(folder, { config: { architectures: ['SpanExtractor'], model_type: 'extractor' } });
  await mkdir(join(folder, 'encoder_config'), { recursive: true });
  const config = { model_type: 'deberta-v2', max_position_embeddings: 96, ...encoderConfig };
  await writeFile(join(folder, 'encoder_config', 'config.json'), JSON.stringify(config));
}

/** Files as the hub has them, with weights of a few bytes: enough to be imported, not to be loaded. */
export async function writeTinyEncoder(
  folder: string,
  { config = {}, tokenizer = {} }: TinyEncoder = {},
): Promise<void> {
  const files = {
    'config.json': JSON.stringify({
      ...{ architectures: ['BertModel'], model_type: 'bert', max_position_embeddings: 64 },
      ...config,
    }),
    'tokenizer.json': '{}',
    'tokenizer_config.json': JSON.stringify(tokenizer),
    'model.safetensors': tinySafetensors(),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}
