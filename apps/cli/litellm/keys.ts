import { KEY_LIMIT_BOUNDS } from '#domain/api-key/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import { idOf } from './config.js';

/** Fields of a virtual key that limit it, and that a key here does not have. */
const NOT_KEPT = [
  ...['soft_budget', 'budget_id', 'max_parallel_requests', 'model_max_budget', 'model_rpm_limit', 'model_tpm_limit'],
  ...['allowed_routes', 'permissions', 'team_id', 'guardrails', 'aliases', 'tags'],
] as const;

/** Models of a virtual key that mean no models by name. */
const ALL_MODELS = 'all-proxy-models';
const NO_MODELS = 'no-default-models';
const OTHERS_MODELS = ['all-team-models', NO_MODELS];

/** Periods of LiteLLM's that begin at midnight, on Monday and on the first of a month (https://docs.litellm.ai/docs/proxy/users). */
const PERIODS: Readonly<Record<string, string>> = {
  ...{ '1d': 'day', '24h': 'day', '7d': 'week', '1w': 'week', '30d': 'month', '1mo': 'month' },
};

/**
 * Commands that make a key for each virtual key of LiteLLM (`GET /key/list?return_full_object=true`), with its limits, and comments on
 * those that are left out. LiteLLM keeps hashes, so the keys themselves are new.
 * @param names of the models here; null: unknown
 */
export function keyCommandsOf(file: Json, names: ReadonlySet<string> | null = null): readonly string[] {
  const { keys } = isRecord(file) ? file : { keys: file };
  const listed = Array.isArray(keys) ? (keys as readonly Json[]) : [];
  return listed.flatMap((each, index) => {
    if (!isRecord(each)) return [`# entry ${index + 1} is no key: list them with return_full_object=true`];
    const key = each;
    const given = [key['key_alias'], key['key_name']].find((text) => typeof text === 'string' && text !== '') ?? 'key';
    // A name that begins with a hyphen would be an option.
    const name = (given as string).replace(/^-+/, (hyphens) => '_'.repeat(hyphens.length));
    if (key['blocked'] === true) return [`# ${quoted(name)} is blocked there: no key`];
    if (mayCallNothing(key)) return [`# ${quoted(name)} may call nothing there: no key`];
    const { expires } = key;
    const command = ['npx anneal key create', quoted(name.slice(0, 100))];
    if (typeof expires === 'string' && expires !== '') command.push('--expires-at', quoted(expires));
    const { options, leftOut, notes } = limitsOf(key, names);
    return [
      [...command, ...options].join(' '),
      ...(leftOut.length > 0
        ? [`#   left out: ${leftOut.map((field) => `${field} ${shown(key[field])}`).join(', ')}`]
        : []),
      ...notes.map((note) => `#   ${note}`),
    ];
  });
}

const mayCallNothing = ({ rpm_limit, tpm_limit, max_budget, models }: JsonObject): boolean =>
  [rpm_limit, tpm_limit, max_budget].includes(0) ||
  (Array.isArray(models) && models.length === 1 && models[0] === NO_MODELS);

interface ReadLimits {
  readonly options: readonly string[];
  /** Fields that the command does not have. */
  readonly leftOut: readonly string[];
  readonly notes: readonly string[];
}

function limitsOf(key: JsonObject, names: ReadonlySet<string> | null): ReadLimits {
  const options: string[] = [];
  const leftOut: string[] = [];
  const notes: string[] = [];
  const rates = { rpm_limit: '--requests-per-minute', tpm_limit: '--tokens-per-minute' } as const;
  for (const [field, option] of Object.entries(rates)) {
    const rate = key[field];
    if (isRate(rate)) options.push(`${option} ${rate}`);
    else if (!isNone(rate)) leftOut.push(field);
  }
  const { max_budget: budget, budget_duration: duration, spend } = key;
  const period = isNone(duration) ? null : PERIODS[typeof duration === 'string' ? duration : ''];
  if (isBudget(budget) && period !== undefined) {
    options.push(`--budget ${decimal(budget)}`, ...(period === null ? [] : [`--budget-period ${period}`]));
    if (typeof spend === 'number' && spend > 0) notes.push(`spend ${spend} there is not counted here`);
  } else leftOut.push(...['max_budget', 'budget_duration'].filter((field) => !isNone(key[field])));
  const { allowed, isLeftOut } = modelsOf(key['models']);
  if (allowed.length > 0) options.push(`--models ${allowed.map(quoted).join(' ')}`);
  if (isLeftOut) leftOut.push('models');
  const missing = names && allowed.filter((id) => ![...names].some((known) => id === known || isBeginning(id, known)));
  if (missing && missing.length > 0) notes.push(`no model here has the name ${missing.join(', ')}`);
  leftOut.push(...NOT_KEPT.filter((field) => !isNone(key[field])));
  return { options, leftOut, notes };
}

const isBeginning = (id: string, known: string): boolean => id.endsWith('*') && known.startsWith(id.slice(0, -1));

/** The models as ids here, none for all of them. */
function modelsOf(models: Json | undefined): { readonly allowed: readonly string[]; readonly isLeftOut: boolean } {
  if (isNone(models)) return { allowed: [], isLeftOut: false };
  if (!Array.isArray(models) || !models.every((name) => typeof name === 'string'))
    return { allowed: [], isLeftOut: true };
  if (models.includes(ALL_MODELS) || models.includes('*')) return { allowed: [], isLeftOut: false };
  const named = models.filter((name) => !OTHERS_MODELS.includes(name));
  const ids = named.map((name) => (name.endsWith('*') ? `${idOf(`${name.slice(0, -1)}x`).slice(0, -1)}*` : idOf(name)));
  const allowed = ids.filter((id, index) => id !== '' && !named[index]!.slice(0, -1).includes('*'));
  return { allowed, isLeftOut: allowed.length < models.length };
}

const isRate = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= KEY_LIMIT_BOUNDS.perMinute;

const isBudget = (value: Json | undefined): value is number =>
  typeof value === 'number' && value >= 1e-12 && value <= KEY_LIMIT_BOUNDS.budgetDollars;

/** Without an exponent. */
const decimal = (dollars: number): string => dollars.toFixed(12).replace(/\.?0+$/, '');

const isNone = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const shown = (value: Json | undefined): string => JSON.stringify(value);

/** For a shell. */
const quoted = (text: string): string => `'${text.replaceAll(/[\u0000-\u001f\u007f]/g, ' ').replaceAll("'", "'\\''")}'`;
