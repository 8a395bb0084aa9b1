import ipaddr from 'ipaddr.js';
import type { Origin } from '#domain/session/index.js';
import { printable } from '#domain/printable.js';
import { hashAddress, type SecretKey } from '#primitives/secrets/index.js';

const MAX_AGENT_CHARACTERS = 200;

/** The origin of a request for the log, which never has the address itself. */
export function originOf(
  { ip, headers }: { readonly ip: string; readonly headers: { readonly 'user-agent'?: string | undefined } },
  secret: SecretKey,
): Origin {
  const agent = headers['user-agent'];
  return {
    address: hashAddress(secret, ip),
    network: networkOf(ip),
    agent: agent === undefined ? null : printable(agent.slice(0, MAX_AGENT_CHARACTERS)),
  };
}

function networkOf(ip: string): string {
  const [plain = ''] = ip.split('%', 1);
  if (!ipaddr.isValid(plain)) return 'unknown';
  const address = ipaddr.process(plain);
  return address.kind() === 'ipv4'
    ? `${ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/24`).toString()}/24`
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/48`).toString()}/48`;
}
