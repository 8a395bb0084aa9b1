import { PROVIDER_STYLE_NAMES, PROVIDER_STYLES, type ProviderStyle } from './provider-styles.js';
import { isRecord } from '#primitives/values.js';
import { readFileSync } from 'node:fs';
import { isSteering, type Allowed } from './passed-on.js';

/** A provider, as the operator's file describes it, with its key. */
export interface Provider {
  readonly name: string;
  readonly style: ProviderStyle;
  /** Base address without a trailing slash; request paths are appended. */
  readonly baseUrl: string;
  /** null: it needs none. Never logged, never in an event or an error. */
  readonly key: string | null;
  /** The file that the key was read from; null: none. */
  readonly keyFile: string | null;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly connectMs: number;
  /** Limit until the first byte of the answer. */
  readonly firstByteMs: number;
  /** Limit for the whole answer. */
  readonly totalMs: number;
  readonly maxConnections: number;
  /** The circuit breaker of each of its models. */
  readonly circuit: {
    /** Number of last calls judged; judging starts at half of it. */
    readonly calls: number;
    /** more than this percentage failed: 100 is never. */
    readonly failurePercent: number;
    /** Milliseconds for which it stays open before one call is let through. */
    readonly openMs: number;
  };
  /** Retries of one call, before the first byte only. */
  readonly maxRetries: number;
  readonly maxResponseBytes: number;
  /** The `openai` style's field for the limit on output tokens. */
  readonly maxTokensField: (typeof MAX_TOKENS_FIELDS)[number];
  /** Treatment of a caller's cache markers in the `openai` style: GPT-style models cache by themselves and refuse markers. */
  readonly cacheControl: (typeof CACHE_CONTROLS)[number];
  /** Whether token ids in place of texts to embed are sent on, or decoded first: most embedders have a vocabulary of their own. */
  readonly tokenIds: (typeof TOKEN_IDS)[number];
  /** Whether hints that its style cannot carry are refused, rather than dropped. */
  readonly isStrict: boolean;
  /** Fields and schemes that callers may send to this provider and no other. */
  readonly allowed: Allowed;
}

const MAX_TOKENS_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;
const CACHE_CONTROLS = ['drop', 'forward'] as const;
const TOKEN_IDS = ['forward', 'decode'] as const;

/** The providers file cannot be used. One line that names the provider and the field, and no secret. */
export class ProvidersError extends Error {
  override readonly name = 'ProvidersError';

  /** @param provider its name: log lines have it beside the message, which they show without quotations */
  constructor(
    message: string,
    readonly provider?: string,
  ) {
    super(message);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the providers file: `{"providers": {"<name>": {"style": "openai", "base_url": "https://...", "api_key_env": "..."}}}`.
 * Keys come from the environment (`api_key_env`) or from a file (`api_key_file`), never from this file.
 * @throws ProvidersError
 */
export function readProviders(path: string, environment: Environment = process.env): ReadonlyMap<string, Provider> {
  return checkProviders(parsed(path), environment);
}

function parsed(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ProvidersError(`it cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ProvidersError('it is not JSON');
  }
}

/** @throws ProvidersError */
export function checkProviders(file: unknown, environment: Environment): ReadonlyMap<string, Provider> {
  const providers = isRecord(file) ? file['providers'] : undefined;
  if (!isRecord(providers)) throw new ProvidersError('it must be {"providers": {"<name>": {...}}}');
  return new Map(Object.entries(providers).map(([name, value]) => [name, providerOf(name, value, environment)]));
}

const KNOWN_FIELDS = new Set([
  'style',
  'base_url',
  'api_key_env',
  'api_key_file',
  'headers',
  'connect_timeout_ms',
  'first_byte_timeout_ms',
  'total_timeout_ms',
  'max_connections',
  'max_retries',
  'max_response_bytes',
  'circuit_calls',
  'circuit_failure_percent',
  'circuit_open_ms',
  'strict',
  'allow_fields',
  'allow_url_schemes',
  ...PROVIDER_STYLE_NAMES.flatMap((style) => PROVIDER_STYLES[style].ownFields),
]);

function providerOf(name: string, value: unknown, environment: Environment): Provider {
  const refuse = (field: string, rule: string) =>
    new ProvidersError(`provider ${JSON.stringify(name)}: ${field} ${rule}`, name);
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name))
    throw refuse('its name', 'must be letters, digits, dots, dashes, at most 64');
  if (!isRecord(value)) throw refuse('it', 'must be an object with style and base_url');
  const unknown = Object.keys(value).find((field) => !KNOWN_FIELDS.has(field));
  if (unknown !== undefined)
    throw refuse(unknown, `is no field of a provider; there are ${[...KNOWN_FIELDS].join(', ')}`);
  const oneOf = <T extends string | boolean>(field: string, choices: readonly T[], absent?: T): T => {
    const given = value[field] ?? absent;
    if (choices.includes(given as T)) return given as T;
    throw refuse(field, `must be one of ${choices.join(', ')}`);
  };
  const number = (field: string, absent: number, least = 1, most = Number.MAX_SAFE_INTEGER): number => {
    const given = value[field] ?? absent;
    if (Number.isSafeInteger(given) && (given as number) >= least && (given as number) <= most) return given as number;
    const bounds = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `from ${least} to ${most}`;
    throw refuse(field, `must be a whole number, ${bounds}`);
  };
  const textsOf = (field: string, isOne: (text: string) => boolean, rule: string): ReadonlySet<string> => {
    const given = value[field] ?? [];
    if (!Array.isArray(given) || given.length > MAX_ALLOWED)
      throw refuse(field, `must be a list of at most ${MAX_ALLOWED}`);
    const wrong: unknown = given.find((item) => typeof item !== 'string' || !isOne(item));
    if (wrong !== undefined) throw refuse(field, `${rule} (got ${JSON.stringify(wrong)})`);
    return new Set(given as string[]);
  };
  const style = oneOf('style', PROVIDER_STYLE_NAMES);
  for (const other of PROVIDER_STYLE_NAMES)
    for (const field of other === style ? [] : PROVIDER_STYLES[other].ownFields)
      if (value[field] !== undefined) throw refuse(field, `is for providers of style ${other}`);
  return {
    name,
    style,
    baseUrl: baseUrlOf(value['base_url'], refuse),
    key: keyOf(value, environment, refuse),
    keyFile: (value['api_key_file'] as string | undefined) ?? null,
    headers: headersOf(value['headers'], refuse),
    connectMs: number('connect_timeout_ms', 5_000, 1, MAX_TIMER_MS),
    firstByteMs: number('first_byte_timeout_ms', 60_000, 1, MAX_TIMER_MS),
    totalMs: number('total_timeout_ms', 300_000, 1, MAX_TIMER_MS),
    maxConnections: number('max_connections', 256),
    maxRetries: number('max_retries', 2, 0),
    maxResponseBytes: number('max_response_bytes', 64 * 1024 ** 2),
    maxTokensField: oneOf('max_tokens_field', MAX_TOKENS_FIELDS, 'max_tokens'),
    circuit: {
      calls: number('circuit_calls', 100, 1, 1_000),
      failurePercent: number('circuit_failure_percent', 50, 1, 100),
      openMs: number('circuit_open_ms', 2_000, 1, MAX_TIMER_MS),
    },
    cacheControl: oneOf('cache_control', CACHE_CONTROLS, 'drop'),
    tokenIds: oneOf('token_ids', TOKEN_IDS, 'forward'),
    isStrict: oneOf('strict', [true, false], false),
    allowed: {
      fields: textsOf('allow_fields', isSteering, 'must be names of fields that are refused otherwise'),
      schemes: textsOf('allow_url_schemes', isScheme, 'must be schemes in lower case, such as http'),
    },
  };
}

const MAX_ALLOWED = 50;
const isScheme = (text: string): boolean => /^[a-z][a-z0-9+.-]{0,30}$/.test(text);

/** A timer's longest time, about 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type Refuse = (field: string, rule: string) => ProvidersError;

function baseUrlOf(value: unknown, refuse: Refuse): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw refuse('base_url', 'must be an address like https://host/v1');
  if (url.username !== '' || url.password !== '')
    throw refuse('base_url', 'must hold no credentials; name them with api_key_env or api_key_file');
  if (url.search !== '' || url.hash !== '') throw refuse('base_url', 'must have no query and no fragment');
  return url.href.replace(/\/+$/, '');
}

function keyOf(value: Readonly<Record<string, unknown>>, environment: Environment, refuse: Refuse): string | null {
  const { api_key_env: variable, api_key_file: file } = value;
  if (variable !== undefined && file !== undefined) throw refuse('api_key_file', 'and api_key_env are two; name one');
  if (variable !== undefined) {
    if (typeof variable !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable))
      throw refuse('api_key_env', 'must be the name of an environment variable');
    return usableKey(environment[variable] ?? '', 'api_key_env', `the environment variable ${variable}`, refuse);
  }
  if (file === undefined) return null;
  if (typeof file !== 'string' || file === '') throw refuse('api_key_file', 'must be a path');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw refuse('api_key_file', `cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
  return usableKey(text, 'api_key_file', 'the file', refuse);
}

function usableKey(text: string, field: string, where: string, refuse: Refuse): string {
  const key = text.trim();
  if (key === '') throw refuse(field, `names no key: ${where} is empty or not set`);
  // The key becomes the value of a header.
  if (!/^[\x21-\x7e]+$/.test(key)) throw refuse(field, `names no key: ${where} must hold one word of ASCII`);
  return key;
}

/** Headers of framing: not the operator's to set, and answers are not decompressed. */
const FRAMING = new Set([
  ...['host', 'connection', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer', 'transfer-encoding'],
  ...['content-length', 'content-type', 'content-encoding', 'accept-encoding'],
]);

function headersOf(value: unknown, refuse: Refuse): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isRecord(value)) throw refuse('headers', 'must be a map from name to value');
  for (const [name, text] of Object.entries(value)) {
    if (!/^[A-Za-z0-9-]+$/.test(name))
      throw refuse(`headers.${name}`, 'must have a name of letters, digits and dashes');
    if (/^(?:authorization|x-api-key)$/i.test(name))
      throw refuse(`headers.${name}`, 'is made of the key; name that with api_key_env or api_key_file');
    if (FRAMING.has(name.toLowerCase())) throw refuse(`headers.${name}`, 'cannot be set');
    if (typeof text !== 'string' || !/^[\x20-\x7e]*$/.test(text))
      throw refuse(`headers.${name}`, 'must be a string of ASCII');
  }
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name.toLowerCase(), text as string]));
}
