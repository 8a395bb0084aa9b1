import type { Caller } from '#application/caller.js';
import type { KeyScope } from '#domain/api-key/index.js';
import { HttpError } from '../errors/http-error.js';
import type { FastifyRequest } from '../http.js';

const READING = new Set(['GET', 'HEAD']);

/** @throws HttpError 403 the caller's key has none of the scopes with which this route may be used */
export function requireScope({ scopes }: Caller, { method, routeOptions }: FastifyRequest): void {
  if (scopes === undefined) return;
  const enough = scopesFor(method, routeOptions.config.forInference === true);
  if (enough.some((scope) => scopes.includes(scope))) return;
  const message = `this needs a key with the scope ${enough.join(' or ')}; this key has ${scopes.join(' and ')}`;
  throw new HttpError(403, message, { code: 'forbidden' });
}

function scopesFor(method: string, forInference: boolean): readonly KeyScope[] {
  if (READING.has(method)) return forInference ? ['inference', 'read'] : ['read'];
  return forInference ? ['inference'] : ['write'];
}
