import type { JsonObject } from '#domain/json.js';
import { CatalogError, checkCatalog } from '#models/catalog/check.js';
import type { CatalogFile } from '#models/catalog/entry.js';
import type { ReadConfig } from './config.js';

/** The models and aliases that the built-in catalog can have beside its own; each of the others is left out with a note. */
export function besideBuiltIn({ models, aliases = {} }: CatalogFile, read: ReadConfig): ReadConfig {
  const taken = new Set([...models.map(({ id }) => id), ...Object.keys(aliases)]);
  const notes = [...read.notes];
  const leaveOut = (name: unknown, why: string) => void notes.push(`${JSON.stringify(name)} left out: ${why}`);
  const offered = read.models.filter((model) => {
    const why = taken.has(model['id'] as string) ? NAMED_ALIKE : faultOf(model);
    if (why !== null) leaveOut(model['id'], why);
    return why === null;
  });
  const ids = new Set(offered.map(({ id }) => id));
  const known = Object.entries(read.aliases).filter(([alias, target]) => {
    const why = taken.has(alias) ? NAMED_ALIKE : ids.has(target) ? null : `${JSON.stringify(target)} is left out`;
    if (why !== null) leaveOut(alias, why);
    return why === null;
  });
  const { providers, variables } = read;
  return { providers, variables, models: offered, aliases: Object.fromEntries(known), notes };
}

const NAMED_ALIKE = 'a built-in model has this name; give it another model_name in the configuration';

function faultOf(model: JsonObject): string | null {
  try {
    checkCatalog({ models: [model] });
    return null;
  } catch (error) {
    if (error instanceof CatalogError) return error.message;
    throw error;
  }
}
