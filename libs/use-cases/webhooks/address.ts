import { isIP } from 'node:net';
import { InvalidError } from '#domain/errors.js';
import { isPublicAddress } from '#primitives/egress/index.js';

/**
 * The address of an endpoint, as it is called. Each delivery checks the addresses that its name resolves to.
 * @param trusted origins that the operator named
 * @throws InvalidError
 */
export function webhookAddress(text: string, trusted: readonly string[]): string {
  const refuse = (message: string) => new InvalidError({ path: ['url'], message, type: 'not_allowed' });
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw refuse('must be a web address such as https://example.com/hooks');
  if (url.username !== '' || url.password !== '')
    throw refuse('must hold no user and no password: deliveries are signed');
  url.hash = '';
  if (trusted.includes(url.origin)) return url.href;
  const named = 'unless ANNEAL_WEBHOOK_ORIGINS names its origin';
  if (url.protocol !== 'https:') throw refuse(`must begin with https://, ${named}`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refuse(`must be a public address, ${named}`);
  return url.href;
}
