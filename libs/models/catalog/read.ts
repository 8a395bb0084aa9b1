import { readFileSync } from 'node:fs';
import { catalogEntryOf, importedModels } from '../imported/index.js';
import { packFolders } from '../packs/index.js';
import { SettingsError, type Settings } from '#settings/index.js';
import { Catalog, type CatalogEntry } from './catalog.js';
import { CatalogError, checkCatalog } from './check.js';
import type { CatalogFile } from './entry.js';

/** The engines and providers of this installation. */
interface Served {
  /** Tokens that each model of an engine here reads, by id. */
  readonly engines: ReadonlyMap<string, number>;
  /** Ids of the models that it can train. */
  readonly trainable: { has(id: string): boolean };
  /** Names of the configured providers of hosted models. */
  readonly providers: { has(name: string): boolean };
}

/** Reads a catalog file. @param path default: the project's own @throws CatalogError naming its fault */
export const readCatalog = (path?: string | URL): Catalog => new Catalog(readFile(path));

/** The project's own catalog file. */
export const builtInCatalog = (): CatalogFile => readFile();

const readFile = (path: string | URL = new URL('./catalog.json', import.meta.url)): CatalogFile =>
  checkCatalog(parse(readFileSync(path, 'utf8')));

/**
 * The catalog of the settings and the imported models beside it, reduced to the models that can be served here.
 * @throws SettingsError in one line: the setting, the model and the field
 */
export function openCatalog(
  { modelCatalog, ...folders }: Pick<Settings, 'modelCatalog' | 'dataDir' | 'modelsDir'>,
  { engines, trainable, providers }: Served,
): Catalog {
  const open = () => {
    const catalog = withImported(readFile(modelCatalog ?? undefined), folders, { engines, trainable }).filter(
      ({ id, provider }) => (provider ? providers.has(provider.name) : engines.has(id)),
    );
    catalog.entries.forEach((entry) => requireFallbacks(entry, providers));
    catalog.entries.forEach((entry) => refuseUntrainable(entry, trainable));
    catalog.entries.forEach((entry) => requireTrueWindow(entry, engines));
    return catalog;
  };
  return modelCatalog === null ? open() : namingIt(modelCatalog, open);
}

/** Models that the file has no entry for. One whose id is an alias takes the place of the model that stood in for it. */
function withImported(
  file: CatalogFile,
  folders: Pick<Settings, 'dataDir' | 'modelsDir'>,
  { engines, trainable }: Pick<Served, 'engines' | 'trainable'>,
): Catalog {
  const named = new Set(file.models.map(({ id }) => id));
  const all = importedModels(packFolders(folders)).map((model) =>
    catalogEntryOf(model, trainable.has(model.manifest.id)),
  );
  const imported = all.filter(({ id }) => engines.has(id) && !named.has(id));
  const ids = new Set(imported.map(({ id }) => id));
  const aliases = Object.entries(file.aliases ?? {}).filter(([alias]) => !ids.has(alias));
  return new Catalog({ ...file, models: [...file.models, ...imported], aliases: Object.fromEntries(aliases) });
}

/** Checked at start; a missing fallback would otherwise be noticed only when needed. */
function requireFallbacks({ id, provider }: CatalogEntry, providers: Served['providers']): void {
  for (const [index, { name }] of (provider?.fallbacks ?? []).entries())
    if (!providers.has(name))
      throw new CatalogError(
        `model ${JSON.stringify(id)}: provider.fallbacks[${index}].name must be a provider of the providers file; ${JSON.stringify(name)} is none`,
      );
}

/** No engine here can train such a model, and its provider's own would answer the calls. */
function refuseUntrainable({ id, supports_training, provider }: CatalogEntry, trainable: Served['trainable']): void {
  if (!supports_training || (provider === null && trainable.has(id))) return;
  const why = provider ? `${provider.name} hosts it` : 'its engine trains nothing';
  throw new CatalogError(
    `model ${JSON.stringify(id)}: supports_training must be false, since ${why}; only engines here train models`,
  );
}

/** Engines of this installation decide how much they read: a number in the catalog would be a promise that calls do not keep. */
function requireTrueWindow({ id, context_window, provider }: CatalogEntry, engines: Served['engines']): void {
  const tokens = engines.get(id);
  if (provider !== null || tokens === undefined || context_window === tokens) return;
  throw new CatalogError(
    `model ${JSON.stringify(id)}: context_window must be ${tokens}, the tokens that its engine reads`,
  );
}

function namingIt<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!(error instanceof CatalogError) && code === undefined) throw error;
    throw new SettingsError('ANNEAL_MODEL_CATALOG', `names ${path}, which cannot be used: ${message}`, {
      cause: error,
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CatalogError(`is not valid JSON: ${(error as Error).message.split('\n')[0]}`);
  }
}
