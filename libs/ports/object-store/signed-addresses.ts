import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObjectKey } from './keys.js';
import { AddressRefusedError, type SignedAddress } from './port.js';

/** The operation that an address allows on one object. */
type Grant =
  | { readonly method: 'PUT'; readonly key: string; readonly expires: number; readonly maxBytes: number }
  | { readonly method: 'GET'; readonly key: string; readonly expires: number; readonly fileName: string };

/**
 * Addresses that carry their own permission: `<public url>/objects/<key>?expires=..&max=..&signature=..`, signed by
 * HMAC-SHA256 over method, key, expiry (Unix seconds) and limit or file name.
 */
export class SignedAddresses {
  private readonly keys: readonly Buffer[];
  private readonly publicUrl: () => string;

  /**
   * @param signingKeys the first one signs; addresses signed by the others are valid too
   * @param publicUrl asked at each signing, since a port chosen by the system is known only once it listens
   */
  constructor(signingKeys: readonly Uint8Array[], publicUrl: () => string) {
    this.keys = signingKeys.map((key) => Buffer.from(key));
    this.publicUrl = publicUrl;
  }

  address(grant: Grant): string {
    const query = new URLSearchParams({ expires: String(grant.expires) });
    if (grant.method === 'PUT') query.set('max', String(grant.maxBytes));
    else query.set('name', grant.fileName);
    query.set('signature', this.sign(grant, this.keys[0]!).toString('base64url'));
    return `${this.publicUrl().replace(/\/+$/, '')}/objects/${grant.key}?${query.toString()}`;
  }

  /**
   * @param now milliseconds since 1970
   * @throws AddressRefusedError
   */
  verify<M extends Grant['method']>(
    method: M,
    { key, query }: SignedAddress,
    now: number,
  ): Extract<Grant, { method: M }> {
    const expires = wholeNumber(query.expires);
    const grant: Grant =
      method === 'PUT'
        ? { method, key, expires, maxBytes: wholeNumber(query.max) }
        : { method: 'GET', key, expires, fileName: query.name ?? '' };
    const given = Buffer.from(query.signature ?? '', 'base64url');
    const genuine = this.keys.some((signingKey) => {
      const expected = this.sign(grant, signingKey);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (!genuine || !isObjectKey(key)) throw new AddressRefusedError('the signature of this address does not match it');
    if (expires * 1000 < now) throw new AddressRefusedError('this address has expired; ask for a new one');
    return grant as Extract<Grant, { method: M }>;
  }

  private sign(grant: Grant, signingKey: Buffer): Buffer {
    const extent = grant.method === 'PUT' ? grant.maxBytes : grant.fileName;
    const text = JSON.stringify([grant.method, grant.key, grant.expires, extent]);
    return createHmac('sha256', signingKey).update(text).digest();
  }
}

/** -1 for any other text; no grant holds it. */
const wholeNumber = (text: string | undefined): number => (text && /^\d{1,15}$/.test(text) ? Number(text) : -1);
