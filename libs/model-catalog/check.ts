import { TASK_TYPES, type CatalogFile } from './entry.js';

/** The catalog file cannot be used. One line that names the model and the field. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
}

type Check = readonly [field: string, holds: (value: unknown) => boolean, rule: string];

const isPrice = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isText = (value: unknown) => typeof value === 'string' && value !== '';

const CHECKS: readonly Check[] = [
  [
    'id',
    (value) => isText(value) && /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)?$/.test(value as string),
    'an id like org/name',
  ],
  ['label', isText, 'a text'],
  ['description', isText, 'a text'],
  ['task_type', (value) => (TASK_TYPES as readonly unknown[]).includes(value), `one of ${TASK_TYPES.join(', ')}`],
  ['context_window', (value) => Number.isInteger(value) && (value as number) > 0, 'a whole number above 0'],
  [
    'release_month',
    (value) => value === null || (isText(value) && /^\d{4}-\d{2}$/.test(value as string)),
    'a month like 2026-11, or null',
  ],
  ['input_price_per_million', isPrice, 'a number of dollars, 0 or more'],
  ['output_price_per_million', isPrice, 'a number of dollars, 0 or more'],
  ['cache_read_price_per_million', (value) => value === null || isPrice(value), 'a number of dollars, or null'],
  ['cache_write_price_per_million', (value) => value === null || isPrice(value), 'a number of dollars, or null'],
  ['supports_inference', isBoolean, 'true or false'],
  ['supports_training', isBoolean, 'true or false'],
  ['supports_on_demand_inference', isBoolean, 'true or false'],
  ['deprecated', isBoolean, 'true or false'],
];

/** @throws CatalogError */
export function checkCatalog(value: unknown): CatalogFile {
  const { models, aliases } = (value ?? {}) as Partial<CatalogFile>;
  if (!Array.isArray(models) || models.length === 0)
    throw new CatalogError('models must be a list of at least one model');
  if (typeof aliases !== 'object') throw new CatalogError('aliases must be a map from id to id');
  const ids = new Set<string>();
  for (const model of models as readonly Readonly<Record<string, unknown>>[]) {
    for (const [field, holds, rule] of CHECKS)
      if (!holds(model[field]))
        throw new CatalogError(`model ${JSON.stringify(model['id'])}: ${field} must be ${rule}`);
    const id = model['id'] as string;
    if (ids.has(id)) throw new CatalogError(`model ${JSON.stringify(id)} stands there twice`);
    ids.add(id);
  }
  for (const [alias, target] of Object.entries(aliases))
    if (ids.has(alias) || !ids.has(target))
      throw new CatalogError(`alias ${JSON.stringify(alias)} must be a new id for a model of the list`);
  return { models: models as CatalogFile['models'], aliases };
}
