import type { HttpError } from './http-error.js';

/**
 * What `x-should-retry` says of an error, which the OpenAI and Anthropic SDKs obey; null where they know it by the status: 429 and from
 * 500 on they retry, other refusals they do not. Left to themselves they retry every 409 and never a 425.
 */
export function shouldRetry({ status, options }: HttpError): boolean | null {
  switch (status) {
    case 425:
    case 529:
      return true;
    case 409:
      // A conflict with a time to come again may be resolved by then.
      return options.retryAfterSeconds !== undefined;
    case 402:
    case 403:
    case 451:
      return false;
    default:
      return null;
  }
}
