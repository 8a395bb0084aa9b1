import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Engines } from '#gpu-runner/contract/engines.js';
import { ENGINES } from '#gpu-runner/engine/engines.js';
import type { CatalogFile } from '#model-catalog/entry.js';
import { memory } from './registration.js';

export const READY = 'test/memory-ready';
export const PLAIN = 'test/memory-plain';

/** The engines of this project and the one of encoders in a process. */
export const engines = new Engines([...ENGINES.all, memory]);

const PROJECT_CATALOG = new URL('../../../libs/model-catalog/catalog.json', import.meta.url);

/** Writes the project's catalog and the engine's entries into a folder. @returns the file */
export async function catalogIn(directory: string): Promise<string> {
  const { models, ...rest } = JSON.parse(await readFile(PROJECT_CATALOG, 'utf8')) as CatalogFile;
  const own = memory.baseModels.map(({ id, maxTokens, heads }) => ({
    ...{ id, label: id, description: 'Learns by heart.', task_type: 'encoder', family: 'memory' },
    ...{ context_window: maxTokens, input_price_per_million: 1, output_price_per_million: 2 },
    ...{ supports_inference: heads.length > 0, supports_training: true, supports_on_demand_inference: true },
  }));
  const file = join(directory, 'catalog.json');
  await writeFile(file, JSON.stringify({ ...rest, models: [...models, ...own] }));
  return file;
}
