import { ObjectNotFoundError, ObjectStoreUnavailableError } from '../port.js';

/** An error of the S3 client: always a name, and a status if the server answered. */
interface S3Error extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly code?: string;
}

export const statusOf = (error: unknown): number | undefined => (error as S3Error).$metadata?.httpStatusCode;

/** A missing bucket is not a missing object. */
export const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket';

/** Whether the server rejected a conditional request (412). */
export const isChanged = (error: unknown): boolean => statusOf(error) === 412;

/** The error for users of the port. Everything but a missing object is an outage: a caller cannot cause it. */
export function portError(error: unknown, key: string): Error {
  if (error instanceof ObjectStoreUnavailableError) return error;
  return isMissing(error) ? new ObjectNotFoundError(key) : outage(error);
}

export function outage(error: unknown): ObjectStoreUnavailableError {
  const { name, code } = error as S3Error;
  const status = statusOf(error);
  const what = [status, name, code].filter((part) => part !== undefined && part !== 'Error').join(' ');
  return new ObjectStoreUnavailableError(`the object store failed a request (${what || 'no answer'})`, {
    cause: error,
  });
}
