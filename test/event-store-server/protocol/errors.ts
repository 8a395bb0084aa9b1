import { Metadata, status, type ServiceError } from '@grpc/grpc-js';

/**
 * Errors as the server's `RpcExceptions` make them: a status, and trailers that the client's `convertToCommandError` goes by.
 */
const rpcError = (code: status, details: string, trailers: Readonly<Record<string, string>> = {}): ServiceError =>
  Object.assign(new Error(details), { code, details, metadata: metadataOf(trailers) });

export const streamDeleted = (stream: string): ServiceError =>
  rpcError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

/** @param expected and `current` are revisions, -1 for no stream */
export const wrongExpectedVersion = (stream: string, expected: number, current: number): ServiceError =>
  rpcError(
    status.FAILED_PRECONDITION,
    `Append failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${current}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': String(expected),
      ...(current >= 0 && { 'actual-version': String(current) }),
    },
  );

export const maximumAppendSizeExceeded = (size: number): ServiceError =>
  rpcError(status.INVALID_ARGUMENT, `Maximum Append Size of ${size} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(size),
  });

export const notLeader = (leader: { readonly host: string; readonly port: number }): ServiceError =>
  rpcError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': leader.host,
    'leader-endpoint-port': String(leader.port),
  });

export const accessDenied = (): ServiceError =>
  rpcError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const unauthenticated = (): ServiceError => rpcError(status.UNAUTHENTICATED, 'Unauthenticated');

export const invalidPosition = (commit: string, prepare: string): ServiceError =>
  unknown(`Invalid position C:${commit}/P:${prepare}: no record of the log starts there`);

/** What the server answers to what it did not foresee. */
export const unknown = (details: string): ServiceError => rpcError(status.UNKNOWN, details);
export const invalidArgument = (details: string): ServiceError => rpcError(status.INVALID_ARGUMENT, details);
/** The server's own: whether anything was stored it does not say. */
export const timedOut = (phase: 'Prepare' | 'Commit'): ServiceError =>
  rpcError(status.ABORTED, `Operation timed out: ${phase} phase timeout.`);
export const unavailable = (details: string): ServiceError => rpcError(status.UNAVAILABLE, details);

/** Converts a handler's error for the wire. */
export const asServiceError = (error: unknown): Partial<ServiceError> =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? (error as ServiceError)
    : rpcError(status.UNKNOWN, error instanceof Error ? error.message : String(error));

function metadataOf(trailers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, ascii(value));
  return metadata;
}

/** Trailers hold printable ASCII only. */
const ascii = (value: string): string => value.replace(/[^ -~]/g, (character) => encodeURIComponent(character));
