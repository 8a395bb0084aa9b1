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
  /** Absolute folder, on this machine, from which the server reads adapters. */
  readonly adaptersDir: string;
  /** The same folder as the server sees it. */
  readonly serverAdaptersDir: string;
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
const FIELDS = [...OWN_FIELDS, ...CONNECTION_FIELDS];
/** vLLM's own defaults of `--max-loras` and `--max-lora-rank`. */
const MAX_LORAS = 1;
const MAX_LORA_RANK = 16;

/**
 * Reads the file of generation servers: `{"servers": {"<name>": {"base": "org/name", "base_url": "http://host:8000/v1",
 * "adapters_dir": "/mnt/adapters"}}}`. Keys come from the environment (`api_key_env`) or from a file (`api_key_file`).
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
  const servers = Object.entries(given).map(([name, value]) => serverOf(name, value, environment));
  servers.forEach(({ name, base }, index) => {
    const other = servers.findIndex((each) => each.base === base);
    if (other !== index)
      throw new ServersError(`servers "${servers[other]!.name}" and "${name}" are both for ${base}; name one of them`);
  });
  return servers;
}

function serverOf(name: string, value: unknown, environment: Environment): ServerSettings {
  const refuse = (field: string, rule: string) => new ServersError(`server ${JSON.stringify(name)}: ${field} ${rule}`);
  if (!isRecord(value)) throw refuse('it', 'must be an object with base, base_url and adapters_dir');
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw refuse(unknown, `is no field of a server; there are ${FIELDS.join(', ')}`);
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
  const adaptersDir = folder('adapters_dir');
  const base = text('base');
  const server: ServerSettings = {
    ...{ name, base, model: text('model', base), adaptersDir },
    serverAdaptersDir: folder('server_adapters_dir', adaptersDir),
    maxLoras: count('max_loras', MAX_LORAS),
    maxLoraRank: count('max_lora_rank', MAX_LORA_RANK),
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
