import type { Json, JsonObject } from '#domain/json.js';
import { guessedProvider, KNOWN_PROVIDERS } from './known-providers.js';

/** A deployment of a model, as the providers file and the catalog have it. */
export interface Deployment {
  /** The prefix of its model. */
  readonly prefix: string;
  /** The id of the model at the provider. */
  readonly model: string;
  /** An entry of the providers file. */
  readonly provider: JsonObject;
  /** A key that the configuration has literally, to tell deployments apart by it; never written. */
  readonly literalKey: string | null;
  /** Fields of the deployment that have no place here. */
  readonly leftOut: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/;
/** `litellm_params` that are read here, or in the entry of the catalog. */
const READ = [
  ...['model', 'api_base', 'base_url', 'api_key', 'timeout', 'stream_timeout', 'max_retries', 'organization'],
  ...['input_cost_per_token', 'output_cost_per_token', 'custom_llm_provider'],
];

/**
 * Reads `litellm_params`. @param defaults `request_timeout` and `num_retries` of all models
 * @returns a text that says why this deployment cannot be called
 */
export function deploymentOf(params: JsonObject, defaults: JsonObject, environment: Environment): Deployment | string {
  const named = params['model'];
  if (typeof named !== 'string' || named === '') return 'has no litellm_params.model';
  const slash = named.indexOf('/');
  const custom = params['custom_llm_provider'];
  const prefix = typeof custom === 'string' ? custom : slash < 0 ? guessedProvider(named) : named.slice(0, slash);
  const known = Object.hasOwn(KNOWN_PROVIDERS, prefix) ? KNOWN_PROVIDERS[prefix]! : null;
  if (known === null) return `is of ${prefix}, whose API is neither that of OpenAI nor that of Anthropic`;
  const model = named.startsWith(`${prefix}/`) ? named.slice(prefix.length + 1) : named;
  if (model.includes('*')) return 'stands for several models: name each one that you want to offer';
  const base = addressOf(params['api_base'] ?? params['base_url'], known.path, environment);
  if (base !== null && typeof base === 'object') return base.problem;
  const baseUrl = base ?? known.baseUrl;
  if (baseUrl === null) return `has no api_base, which ${prefix} needs`;
  const key = keyOf(params['api_key'], known.keyEnv, prefix);
  const { organization } = params;
  const provider: JsonObject = {
    style: known.style,
    base_url: baseUrl,
    ...(key.env !== null && { api_key_env: key.env }),
    ...(typeof organization === 'string' &&
      !REFERENCE.test(organization) && { headers: { 'openai-organization': organization } }),
    ...known.fields,
    ...milliseconds('total_timeout_ms', params['timeout'] ?? defaults['request_timeout'] ?? defaults['timeout']),
    ...milliseconds('first_byte_timeout_ms', params['stream_timeout']),
    ...count('max_retries', params['max_retries'] ?? defaults['num_retries']),
  };
  const leftOut = Object.keys(params).filter(
    (name) => !READ.includes(name) || (name === 'organization' && provider['headers'] === undefined),
  );
  return { prefix, model, provider, literalKey: key.literal, leftOut };
}

/** The providers file has addresses as they are, so that of a variable is read now. */
function addressOf(
  given: Json | undefined,
  path: string | undefined,
  environment: Environment,
): string | null | { readonly problem: string } {
  if (typeof given !== 'string' || given === '') return null;
  const variable = REFERENCE.exec(given)?.[1];
  const base = variable === undefined ? given : environment[variable];
  if (!base) return { problem: `has its address in ${variable}: set it for this command` };
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: 'has an api_base that is no address' };
  if (url.username !== '' || url.password !== '') return { problem: 'has credentials in its api_base' };
  const bare = `${url.origin}${url.pathname}`.replace(/\/(?:chat\/completions|embeddings|messages)?\/?$/, '');
  return path === undefined || bare.endsWith(path) ? bare : `${bare}${path}`;
}

/** The variable that holds the key: the one that is referred to, else the usual one of the provider. */
function keyOf(given: Json | undefined, usual: string | null, prefix: string) {
  if (typeof given !== 'string' || given === '') return { env: usual, literal: null };
  const variable = REFERENCE.exec(given)?.[1];
  if (variable !== undefined) return { env: variable, literal: null };
  return { env: usual ?? `${prefix.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase()}_API_KEY`, literal: given };
}

const milliseconds = (field: string, seconds: Json | undefined): JsonObject =>
  typeof seconds === 'number' && seconds > 0 ? { [field]: Math.max(1, Math.round(seconds * 1000)) } : {};
const count = (field: string, given: Json | undefined): JsonObject =>
  typeof given === 'number' && Number.isInteger(given) && given >= 0 ? { [field]: given } : {};
