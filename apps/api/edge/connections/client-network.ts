import { isIPv6 } from 'node:net';

/** The network of one client: its IPv4 address, or the /64 network of IPv6, which one customer has whole. */
export function clientNetwork(address: string): string {
  const [plain = ''] = address.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const [before, after] = [groups(head), groups(tail)];
  // A trailing IPv4 address counts as two groups.
  const missing = 8 - before.length - after.length - (plain.includes('.') ? 1 : 0);
  const all = tail === undefined ? before : [...before, ...Array<string>(missing).fill('0'), ...after];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
