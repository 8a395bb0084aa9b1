import type { HttpError } from './http-error.js';

/**
 * The value of `x-should-retry`, which the OpenAI and Anthropic SDKs obey; null if the status suffices: they retry 429
 * and 500 upwards, and no other refusal. Without the header they would retry every 409 and no 425.
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
