import { TOKENS } from '#domain/inference/index.js';
import { TASK_TYPES, type CatalogFile } from './entry.js';
import { isRecord } from '#primitives/values.js';

/** The catalog file cannot be used. One line that names the model and the field. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
}

/**
 * Checks the content of a catalog file.
 * @throws CatalogError
 */
export function checkCatalog(value: unknown): CatalogFile {
  if (!isRecord(value)) throw new CatalogError('must be an object {"models": [...], "aliases": {...}}');
  const { models, aliases = {}, ...unknown } = value;
  for (const field of Object.keys(unknown)) throw new CatalogError(`${field} is no field of a catalog file`);
  if (!Array.isArray(models) || models.length === 0)
    throw new CatalogError('models must be a list of at least one model');
  if (!isRecord(aliases)) throw new CatalogError('aliases must be a map from id to id');
  const ids = new Set<string>();
  for (const [index, model] of models.entries()) {
    const id = checkModel(model, index);
    if (ids.has(id)) throw new CatalogError(`model ${JSON.stringify(id)} is listed twice`);
    ids.add(id);
  }
  for (const [alias, target] of Object.entries(aliases))
    if (ids.has(alias) || !isId(alias) || !ids.has(target as string))
      throw new CatalogError(`alias ${JSON.stringify(alias)} must be a new id for a model of the list`);
  return { models: models as CatalogFile['models'], aliases: aliases as Record<string, string> };
}

/** @returns its id */
function checkModel(model: unknown, index: number): string {
  if (!isRecord(model)) throw new CatalogError(`models[${index}] must be an object`);
  const name = isId(model['id']) ? `model ${JSON.stringify(model['id'])}` : `models[${index}]`;
  const refuse = (field: string, rule: string) => new CatalogError(`${name}: ${field} ${rule}`);
  for (const [field, rule] of RULES) {
    const given = model[field];
    if (given === undefined ? !rule.optional : !rule.holds(given)) throw refuse(field, `must be ${rule.is}`);
  }
  for (const field of Object.keys(model)) if (!KNOWN.has(field)) throw refuse(field, 'is no field of a model');
  for (const { price, multiplier } of DERIVED)
    if ((model[price] ?? null) !== null && model[multiplier] !== undefined)
      throw refuse(multiplier, `must be left out, since ${price} is given`);
  if ((model['hidden'] === true || model['gated'] === true) && (model['rollout'] ?? null) === null)
    throw refuse('rollout', `must name the rollout, since the model is ${model['hidden'] ? 'hidden' : 'gated'}`);
  return model['id'] as string;
}

interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly is: string;
  readonly optional: boolean;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isId = (value: unknown) => isText(value) && /^[A-Za-z0-9._:-]{1,100}(\/[A-Za-z0-9._:-]{1,100})?$/.test(value);
const isPrice = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= 1e6;
const isRegion = (value: unknown) => isText(value) && /^[A-Z]{2}$/.test(value);
const isRollout = (value: unknown) => isText(value) && /^[A-Za-z0-9._-]{1,64}$/.test(value);
const isMonth = (value: unknown) => isText(value) && /^\d{4}-(0[1-9]|1[0-2])$/.test(value);
const isHosted = (value: unknown) =>
  isRecord(value) && isText(value['name']) && isText(value['model']) && Object.keys(value).length === 2;
const isProvider = (value: unknown) => {
  if (!isRecord(value)) return false;
  const { fallbacks = [], ...first } = value;
  return isHosted(first) && Array.isArray(fallbacks) && fallbacks.every(isHosted);
};

const needed = (holds: Rule['holds'], is: string): Rule => ({ holds, is, optional: false });
const optional = (holds: Rule['holds'], is: string): Rule => ({ holds, is, optional: true });
const orNull = (holds: Rule['holds'], is: string): Rule =>
  optional((value) => value === null || holds(value), `${is}, or null`);

const GIVEN = TOKENS.filter(({ kind, partOf }) => kind === partOf);
const DERIVED = TOKENS.filter((tokens) => !GIVEN.includes(tokens));

const id = needed(isId, 'an id like org/name');
const text = needed(isText, 'a text');
const price = needed(isPrice, 'a number of US dollars, from 0 to 1,000,000');
const derivedPrice = orNull(isPrice, price.is);
const multiplierOf = (part: string) => optional(isPrice, `a number that the ${part} price is multiplied by, 0 or more`);
const flag = (rule: typeof needed) => rule((value) => typeof value === 'boolean', 'true or false');

const RULES: readonly (readonly [field: string, rule: Rule])[] = [
  ['id', id],
  ['label', text],
  ['description', text],
  [
    'task_type',
    needed((value) => (TASK_TYPES as readonly unknown[]).includes(value), `one of ${TASK_TYPES.join(', ')}`),
  ],
  ['family', text],
  ['multilingual', flag(optional)],
  ['instruct', flag(optional)],
  ['context_window', needed((value) => Number.isSafeInteger(value) && (value as number) > 0, 'a whole number above 0')],
  ['release_month', orNull(isMonth, 'a month like 2026-11')],
  ...GIVEN.map((tokens) => [tokens.price, price] as const),
  ...DERIVED.map((tokens) => [tokens.price, derivedPrice] as const),
  ...DERIVED.map(({ multiplier, partOf }) => [multiplier, multiplierOf(partOf)] as const),
  ['supports_inference', flag(needed)],
  ['supports_training', flag(needed)],
  ['supports_on_demand_inference', flag(needed)],
  ['deprecated', flag(optional)],
  ['tier', optional(isText, 'a text')],
  ['hidden', flag(optional)],
  ['gated', flag(optional)],
  ['rollout', orNull(isRollout, 'the name of a rollout: 1 to 64 letters, digits, dots, underscores or hyphens')],
  [
    'provider',
    orNull(
      isProvider,
      '{"name": a provider of the providers file, "model": its id there}, and perhaps "fallbacks": a list of such',
    ),
  ],
  [
    'blocked_regions',
    optional(
      (value) => Array.isArray(value) && value.every(isRegion),
      'a list of regions like "KP" (ISO 3166-1 alpha-2)',
    ),
  ],
];
const KNOWN = new Set(RULES.map(([field]) => field));
