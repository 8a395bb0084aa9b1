/** Address and credentials of a NATS server. Never print it whole. */
export interface NatsAddress {
  /** `host:port`, in any order. Fit for logs. */
  readonly servers: readonly string[];
  /** null: TLS only if the server requires it, with the system's authorities. */
  readonly tls: TlsFiles | null;
  readonly login: { readonly user: string; readonly password: string } | { readonly token: string } | null;
  /** A `.creds` file of a JWT and its NKEY seed. */
  readonly credentialsFile: string | null;
  /** Prefix of every subject and stream name, so that several systems can share a server. */
  readonly prefix: string;
  /** Replicas of the stream of offers in a cluster: 1, 3 or 5. */
  readonly replicas: number;
}

interface TlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** The message names the part that is wrong, and holds no secret. */
export class NatsAddressError extends Error {
  override readonly name = 'NatsAddressError';
}

const FORM = 'nats://HOST:4222 (or tls://, USER:PASSWORD@ before the host, further hosts after commas)';
const DEFAULT_PORT = 4222;
const PARAMETERS = ['prefix', 'replicas', 'credentials', 'tlsCaFile', 'tlsCertFile', 'tlsKeyFile'];

/**
 * `nats://user:password@h1:4222,h2:4222?prefix=anneal&replicas=3&credentials=FILE&tlsCaFile=FILE&tlsCertFile=FILE&tlsKeyFile=FILE`,
 * `tls://` to require TLS; a user without a password is a token; user and password are percent-encoded.
 * @throws NatsAddressError
 */
export function parseNatsAddress(address: string): NatsAddress {
  // A list of whole addresses is as usual as a list of hosts.
  const joined = address.trim().replaceAll(/,(nats|tls):\/\//g, ',');
  const [, scheme, userInfo, hosts, query] =
    /^(nats|tls):\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/?(?:\?([^#]*))?$/.exec(joined) ?? [];
  if (scheme === undefined || hosts === undefined) throw new NatsAddressError(`is not of the form ${FORM}`);
  const parameters = new URLSearchParams(query ?? '');
  for (const name of parameters.keys()) requireKnown(name, parameters);
  return {
    servers: hosts.split(',').map(server),
    tls: tlsOf(scheme, parameters),
    login: loginOf(userInfo),
    credentialsFile: parameters.get('credentials'),
    prefix: prefixOf(parameters.get('prefix') ?? 'anneal'),
    replicas: replicasOf(parameters.get('replicas') ?? '1'),
  };
}

function requireKnown(name: string, parameters: URLSearchParams): void {
  if (!PARAMETERS.includes(name))
    throw new NatsAddressError(`has an unknown parameter ${name}; there are ${PARAMETERS.join(', ')}`);
  if (parameters.getAll(name).length > 1 || !parameters.get(name))
    throw new NatsAddressError(`must give the parameter ${name} once, with a value`);
}

function server(host: string): string {
  const [, name, port] = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d+))?$/.exec(host.trim()) ?? [];
  if (name === undefined) throw new NatsAddressError('has a host that is neither HOST:PORT, HOST nor [IPV6]:PORT');
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (number < 1 || number > 65_535) throw new NatsAddressError(`has the port ${port}; one is 1 to 65535`);
  return `${name}:${number}`;
}

function loginOf(userInfo: string | undefined): NatsAddress['login'] {
  if (!userInfo) return null;
  const [user, password] = userInfo.split(/:(.*)/s).map(decoded);
  if (!user) throw new NatsAddressError('has a password without a user');
  return password === undefined ? { token: user } : { user, password };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new NatsAddressError('has a user or password whose percent-encoding is broken');
  }
}

function tlsOf(scheme: string, parameters: URLSearchParams): TlsFiles | null {
  const [caFile, certFile, keyFile] = ['tlsCaFile', 'tlsCertFile', 'tlsKeyFile'].map((name) => parameters.get(name));
  if ((certFile === null) !== (keyFile === null))
    throw new NatsAddressError('needs tlsCertFile and tlsKeyFile together');
  if (scheme === 'nats' && !caFile && !certFile) return null;
  return { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) };
}

function prefixOf(prefix: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(prefix))
    throw new NatsAddressError('has a prefix with other characters than A-Z a-z 0-9 _ - (64 at most)');
  return prefix;
}

function replicasOf(replicas: string): number {
  if (!['1', '3', '5'].includes(replicas)) throw new NatsAddressError('needs replicas to be 1, 3 or 5');
  return Number(replicas);
}
