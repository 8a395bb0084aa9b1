import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { checkProviders, ProvidersError, type Provider } from '#calls/hosted/providers.js';
import { isRecord } from '#primitives/values.js';

/** A server that generates with a base model and adapters on it, as the operator's file describes it: plain data without its key. */
export interface ServerSettings {
  /** Name in the file. */
  readonly name: string;
  /** Catalog id of the base model. */
  readonly base: string;
  /** The base model's name at the server. */
  readonly model: string;
  /** Absolute folder, on this machine, from which the server reads adapters. Empty for a server that the runner starts: it gets one then. */
  readonly adaptersDir: string;
  /** The same folder as the server sees it. */
  readonly serverAdaptersDir: string;
  /** The share of the card's memory that it takes, if the runner starts it; null: it is at an address. */
  readonly memoryShare: number | null;
  /** Maximum number of adapters loaded in the server. */
  readonly maxLoras: number;
  readonly maxLoraRank: number;
  /** Connection to the server, in the fields of a hosted provider. */
  readonly connection: Readonly<Record<string, unknown>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The file of generation servers cannot be used. One line that names the server and the field, and no secret. */
export class ServersError extends Error {
  override readonly name = 'ServersError';
}

const OWN_FIELDS = ['base', 'model', 'adapters_dir', 'server_adapters_dir', 'max_loras', 'max_lora_rank'];
const CONNECTION_FIELDS = [
  ...['base_url', 'api_key_env', 'api_key_file', 'headers', 'connect_timeout_ms', 'first_byte_timeout_ms'],
  ...['total_timeout_ms', 'max_connections', 'max_retries', 'max_response_bytes'],
];
/** Of a server that the runner starts. */
const STARTED_FIELDS = ['base', 'memory_share', 'max_loras', 'max_lora_rank'];
/** vLLM's own default of `--gpu-memory-utilization`. */
const MEMORY_SHARE = 0.9;
/** vLLM's own defaults of `--max-loras` and `--max-lora-rank`. */
const MAX_LORAS = 1;
const MAX_LORA_RANK = 16;

/**
 * Reads the file of generation servers: `{"servers": {"<name>": {"base": "org/name", "base_url": "http://host:8000/v1",
 * "adapters_dir": "/mnt/adapters"}}}`; without an address it is one that the runner starts. Keys come from the environment (`api_key_env`) or from a file (`api_key_file`).
 * @throws ServersError
 */
export function readServers(path: string, environment: Environment = process.env): readonly ServerSettings[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ServersError(`it cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new ServersError('it is not JSON');
  }
  return checkServers(file, environment);
}

/** @throws ServersError */
export function checkServers(file: unknown, environment: Environment): readonly ServerSettings[] {
  const given = isRecord(file) ? file['servers'] : undefined;
  if (!isRecord(given)) throw new ServersError('it must be {"servers": {"<name>": {...}}}');
  return Object.entries(given).map(([name, value]) => serverOf(name, value, environment));
}

function serverOf(name: string, value: unknown, environment: Environment): ServerSettings {
  const refuse = (field: string, rule: string) => new ServersError(`server ${JSON.stringify(name)}: ${field} ${rule}`);
  if (!isRecord(value))
    throw refuse('it', 'must be an object with base, and with base_url and adapters_dir or neither');
  const isStarted = !('base_url' in value);
  const fields = isStarted ? STARTED_FIELDS : [...OWN_FIELDS, ...CONNECTION_FIELDS];
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  if (unknown !== undefined)
    throw refuse(
      unknown,
      `is no field of a server ${isStarted ? 'that the runner starts (one without base_url)' : 'at an address'}; there are ${fields.join(', ')}`,
    );
  const text = (field: string, absent?: string): string => {
    const said = value[field] ?? absent;
    if (typeof said === 'string' && said !== '') return said;
    throw refuse(field, 'must be a string');
  };
  const count = (field: string, absent: number): number => {
    const said = value[field] ?? absent;
    if (Number.isSafeInteger(said) && (said as number) >= 1) return said as number;
    throw refuse(field, 'must be a whole number, at least 1');
  };
  const folder = (field: string, absent?: string): string => {
    const said = text(field, absent);
    if (isAbsolute(said)) return said;
    throw refuse(field, `must be an absolute path (got ${said})`);
  };
  const base = text('base');
  const common = {
    ...{ name, base, model: text('model', base) },
    maxLoras: count('max_loras', MAX_LORAS),
    maxLoraRank: count('max_lora_rank', MAX_LORA_RANK),
  };
  if (isStarted) {
    const memoryShare = value['memory_share'] ?? MEMORY_SHARE;
    if (typeof memoryShare !== 'number' || !(memoryShare > 0 && memoryShare <= 1))
      throw refuse('memory_share', 'must be a number above 0, at most 1');
    return { ...common, adaptersDir: '', serverAdaptersDir: '', memoryShare, connection: {} };
  }
  const adaptersDir = folder('adapters_dir');
  const server: ServerSettings = {
    ...{ ...common, adaptersDir, memoryShare: null },
    serverAdaptersDir: folder('server_adapters_dir', adaptersDir),
    connection: Object.fromEntries(Object.entries(value).filter(([field]) => CONNECTION_FIELDS.includes(field))),
  };
  connectionOf(server, environment);
  return server;
}

/** Connection to a server, with its key. @throws ServersError */
export function connectionOf({ name, connection }: ServerSettings, environment: Environment = process.env): Provider {
  try {
    return checkProviders({ providers: { [name]: { style: 'openai', ...connection } } }, environment).get(name)!;
  } catch (error) {
    if (!(error instanceof ProvidersError)) throw error;
    throw new ServersError(error.message.replace(/^provider /, 'server '), { cause: error });
  }
}
