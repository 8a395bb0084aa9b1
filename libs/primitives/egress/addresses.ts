import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses of the public ranges that clouds give to the machine's own metadata and control services. */
const SERVICES_OF_CLOUDS = ['168.63.129.16'];

/**
 * Whether an IP address belongs to the public Internet. Outside it are private, shared, loopback, link-local, multicast,
 * documentation and reserved addresses (IANA's special-purpose registries), cloud services' own, and IPv6 forms of such
 * IPv4 addresses (mapped, compatible, translated, 6to4, Teredo).
 * @param text as a resolver returns it; anything else is not public
 */
export function isPublicAddress(text: string): boolean {
  // ipaddr.js takes `127.1` and its like too.
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return !SERVICES_OF_CLOUDS.includes(address.toString());
  // All assigned addresses are in 2000::/3 (RFC 4291), which excludes IPv4-compatible and other odd ones.
  return (address as ipaddr.IPv6).match(ipaddr.IPv6.parse('2000::'), 3);
}
