import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses of the public ranges that clouds give to the machine's own metadata and control services. */
const SERVICES_OF_CLOUDS = ['168.63.129.16'];

/**
 * Whether an IP address is one of the public Internet: no private, shared, loopback, link-local, multicast, documentation or
 * reserved one (IANA's special-purpose registries), none of a cloud's own services, nor an IPv6 address that leads to an
 * IPv4 one of those (mapped, compatible, translated, 6to4, Teredo).
 * @param text as a resolver gives it; what is no address is not public
 */
export function isPublicAddress(text: string): boolean {
  // ipaddr.js takes `127.1` and its like too.
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return !SERVICES_OF_CLOUDS.includes(address.toString());
  // All that is given out lies in 2000::/3 (RFC 4291); so do not IPv4-compatible addresses and whatever else is odd.
  return (address as ipaddr.IPv6).match(ipaddr.IPv6.parse('2000::'), 3);
}
