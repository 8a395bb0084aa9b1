import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Engines } from '#gpu-runner/contract/engines.js';
import { ENGINES } from '#gpu-runner/engine/engines.js';
import type { CatalogFile } from '#model-catalog/entry.js';
import { parrot } from './registration.js';

export const CHAT = 'test/parrot-chat';
export const BASE = 'test/parrot-base';

/** The engines of this project and the parrot. */
export const engines = new Engines([...ENGINES.all, parrot]);

const PROJECT_CATALOG = new URL('../../../libs/model-catalog/catalog.json', import.meta.url);

/** Writes the project's catalog and the parrots' entries into a folder. @returns the file */
export async function catalogIn(directory: string): Promise<string> {
  const { models, ...rest } = JSON.parse(await readFile(PROJECT_CATALOG, 'utf8')) as CatalogFile;
  const parrots = parrot.baseModels.map(({ id, maxTokens, generation }) => ({
    ...{ id, label: id, description: 'Repeats what it hears.', task_type: 'decoder', family: 'parrot' },
    ...{ instruct: generation!.hasChatTemplate, context_window: maxTokens },
    ...{ input_price_per_million: 1, output_price_per_million: 2 },
    ...{ supports_inference: true, supports_training: true, supports_on_demand_inference: true },
  }));
  const file = join(directory, 'catalog.json');
  await writeFile(file, JSON.stringify({ ...rest, models: [...models, ...parrots] }));
  return file;
}
