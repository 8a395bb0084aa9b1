import { lookup as lookUp } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './addresses.js';
import { EgressRefusedError } from './errors.js';

interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (hostname: string) => Promise<readonly Address[]>;

interface ConnectOptions {
  /** Origins that the operator named. They alone may lie on private addresses or speak plain HTTP. */
  readonly trusted: ReadonlySet<string>;
  readonly connectMs: number;
  readonly resolve: Resolve;
}

export const systemResolver: Resolve = (hostname) => lookUp(hostname, { all: true, verbatim: true });

/**
 * Opens connections for undici. A name is resolved once for each connection, and the connection goes to the address
 * that was checked: a name that resolves to another one a moment later (DNS rebinding) gains nothing. Every origin is
 * checked here, redirects included.
 */
export function egressConnector({ trusted, connectMs, resolve }: ConnectOptions): buildConnector.connector {
  const open = buildConnector({ timeout: connectMs, lookup: pinned(resolve, () => true), autoSelectFamily: true });
  const openPublic = buildConnector({
    timeout: connectMs,
    lookup: pinned(resolve, isPublicAddress),
    autoSelectFamily: true,
  });
  return (options, callback) => {
    const { protocol, hostname, port } = options;
    if (trusted.has(originOf(protocol, hostname, port))) return open(options, callback);
    const refusal = refusalOf(protocol, hostname);
    if (refusal !== null) return callback(new EgressRefusedError(refusal), null);
    return openPublic(options, callback);
  };
}

function refusalOf(protocol: string, hostname: string): string | null {
  if (protocol !== 'https:')
    return `${hostname} is asked for without TLS, which only hosts that the operator named may be`;
  // A literal address needs no look-up.
  return isIP(hostname) !== 0 && !isPublicAddress(hostname) ? notPublic(hostname) : null;
}

const notPublic = (hostname: string): string =>
  `${hostname} is not a public address; only hosts that the operator named may be on private ones`;

function pinned(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        // A host with one forbidden address among allowed ones is refused as an attack.
        const refused = found.length === 0 || found.some(({ address }) => !isAllowed(address));
        if (refused) return callback(new EgressRefusedError(notPublic(hostname)), '');
        if (options.all === true) return callback(null, [...found]);
        return callback(null, found[0]!.address, found[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

function originOf(protocol: string, hostname: string, port: string): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}${port === '' ? '' : `:${port}`}`).origin;
}
