import { SaturatedError } from '#domain/errors.js';
import { HttpError } from './http-error.js';

/** Whether the route has its own status for a saturated provider. */
export const saysOverloaded = (method: string, url: string): boolean =>
  method === 'POST' && /^(?:\/v1){1,2}\/messages(?:\?|$)/.test(url);

/** Turns a saturated model's error into 529, as in Anthropic's API; returns other errors unchanged. */
export function overloaded(error: HttpError): HttpError {
  if (!(error.options.cause instanceof SaturatedError)) return error;
  return new HttpError(529, error.message, { ...error.options, code: 'overloaded' });
}
