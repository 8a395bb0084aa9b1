import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArtifactError, type TrainSettings } from '#gpu-runner/engines/engine.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import type { CatalogEntry, CatalogFile } from '#models/catalog/entry.js';

const PROJECT_CATALOG = new URL('../../../libs/models/catalog/catalog.json', import.meta.url);
const FILE = 'learned.json';

/** Settings of an engine to which they make no difference but for the epochs. */
export const settingsOf =
  (own: Partial<TrainSettings> = {}): RegisteredEngine['resolveSettings'] =>
  ({ trainingType, multiLabel }, given) => ({
    ...{ epochs: 2, learningRate: 1e-4, batchSize: 4, earlyStoppingPatience: 0 },
    ...{ loraR: 8, loraAlpha: 16, loraDropout: 0 },
    ...{ scheduler: 'constant', warmupRatio: 0, weightDecay: 0, saveSteps: 0, seed: 1 },
    ...own,
    ...given,
    ...{ trainingType, multiLabel },
  });

/** Writes the project's catalog and the entries of an engine's base models into a folder. @returns the file */
export async function catalogWith(
  { name, baseModels }: RegisteredEngine,
  directory: string,
  entryOf: (model: RegisteredEngine['baseModels'][number]) => Partial<CatalogEntry>,
): Promise<string> {
  const { models, ...rest } = JSON.parse(await readFile(PROJECT_CATALOG, 'utf8')) as CatalogFile;
  const own = baseModels.map((model) => ({
    ...{ id: model.id, label: model.id, description: 'Learns by heart.', family: name },
    ...{ context_window: model.maxTokens, input_price_per_million: 1, output_price_per_million: 2 },
    ...{ supports_training: true, supports_on_demand_inference: true },
    ...entryOf(model),
  }));
  const file = join(directory, 'catalog.json');
  await writeFile(file, JSON.stringify({ ...rest, models: [...models, ...own] }));
  return file;
}

export async function storeLearned(directory: string, learned: unknown): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, FILE), JSON.stringify(learned));
}

/** What `storeLearned` stored there. @throws ArtifactError where nothing is */
export async function learnedIn<Learned>(directory: string): Promise<Learned> {
  const text = await readFile(join(directory, FILE), 'utf8').catch((error: unknown) => {
    throw new ArtifactError(`${FILE} is missing`, { cause: error });
  });
  return JSON.parse(text) as Learned;
}
