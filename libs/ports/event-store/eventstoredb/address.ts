import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import type {
  ChannelCredentialOptions,
  DNSClusterOptions,
  GossipClusterOptions,
  SingleNodeOptions,
} from '@eventstore/db-client/dist/Client/index.js';
import type { Credentials } from '@eventstore/db-client';

/** A connection string, parsed. */
export interface ServerAddress {
  readonly settings: SingleNodeOptions | DNSClusterOptions | GossipClusterOptions;
  readonly transport: ChannelCredentialOptions;
  readonly credentials: Credentials | undefined;
  /** Hosts and ports: fit for messages. */
  readonly hosts: string;
}

/**
 * Reads `esdb://[USER:PASSWORD@]HOST[:2113][,HOST...][?tls=false&tlsCaFile=...]`, as EventStoreDB's own clients do;
 * `kurrentdb://` is the same. Files it names are read here.
 * @throws RangeError when the address is invalid or a file cannot be read; the message contains no secret
 */
export function parseAddress(address: string): ServerAddress {
  const options = parsed(address.replace(/^kurrentdb/, 'esdb'));
  const { dnsDiscover, hosts, nodePreference, discoveryInterval, gossipTimeout, maxDiscoverAttempts } = options;
  const discovery = defined({ nodePreference, discoveryInterval, gossipTimeout, maxDiscoverAttempts });
  const named = defined({ connectionName: options.connectionName });
  const [first] = hosts;
  if (!first) throw new RangeError("the event store's address names no host");
  return {
    settings: dnsDiscover
      ? { discover: first, ...discovery, ...named }
      : hosts.length > 1
        ? { endpoints: hosts, ...discovery, ...named }
        : { endpoint: first, ...named },
    transport: transportOf(options),
    credentials: options.defaultCredentials,
    hosts: hosts.map(({ address: host, port }) => `${host}:${port}`).join(', '),
  };
}

type Options = ReturnType<typeof parseConnectionString>;

function parsed(address: string): Options {
  try {
    return parseConnectionString(address);
  } catch {
    // The client's message quotes the address, and so perhaps a password.
    throw new RangeError(
      "the event store's address cannot be read: it is esdb://[USER:PASSWORD@]HOST[:PORT][?tls=...]",
    );
  }
}

function transportOf({ tls, tlsCAFile, userCertFile, userKeyFile }: Options): ChannelCredentialOptions {
  if (tls === false) return { insecure: true };
  if (!userCertFile !== !userKeyFile)
    throw new RangeError("the event store's address needs userCertFile and userKeyFile together");
  return defined({
    insecure: false,
    rootCertificate: contentOf('tlsCaFile', tlsCAFile),
    userCertFile: contentOf('userCertFile', userCertFile),
    userKeyFile: contentOf('userKeyFile', userKeyFile),
  });
}

function contentOf(option: string, path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(resolve(path));
  } catch (error) {
    throw new RangeError(`${option} of the event store's address cannot be read: ${(error as Error).message}`);
  }
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
