import type { Failure } from './client.js';

/** Reads the errors of the OpenAI and Anthropic SDKs, which come from one generator. */
export function sdkFailure(error: unknown): Failure {
  const { constructor, status, message } = error as Error & { readonly status?: number };
  return { name: constructor.name, status, message };
}

const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  409: 'ConflictError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
};

export const sdkErrorName = (status: number): string =>
  NAMES[status] ?? (status >= 500 ? 'InternalServerError' : 'APIError');
