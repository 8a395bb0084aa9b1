import { readFileSync } from 'node:fs';
import { checkCatalog } from './check.js';
import type { CatalogEntry, CatalogFile } from './entry.js';

export type { CatalogEntry, TaskType } from './entry.js';

/** The models that this installation can serve or train, and what each really does. */
export class Catalog {
  private readonly byId: ReadonlyMap<string, CatalogEntry>;
  private readonly aliases: ReadonlyMap<string, string>;

  constructor(file: CatalogFile) {
    const entries = file.models.map((model): CatalogEntry => {
      const { cache_read_price_per_million: read, cache_write_price_per_million: write, ...rest } = model;
      return {
        ...rest,
        cache_read_price_per_million: read ?? model.input_price_per_million,
        cache_write_price_per_million: write ?? model.input_price_per_million,
      };
    });
    this.byId = new Map(entries.map((entry) => [entry.id, entry]));
    this.aliases = new Map(Object.entries(file.aliases));
  }

  /** In the file's order. Aliases are not listed. */
  get entries(): readonly CatalogEntry[] {
    return [...this.byId.values()];
  }

  /** The model of an id or an alias; null when there is none. */
  resolve(id: string): CatalogEntry | null {
    return this.byId.get(this.aliases.get(id) ?? id) ?? null;
  }
}

/**
 * Reads a catalog file.
 * @param path default: the one that comes with the project
 * @throws CatalogError naming what is wrong in it
 */
export function readCatalog(path: string | URL = new URL('./catalog.json', import.meta.url)): Catalog {
  return new Catalog(checkCatalog(JSON.parse(readFileSync(path, 'utf8'))));
}
