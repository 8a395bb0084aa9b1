import {
  AccessDeniedError,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamNotFoundError as NotFoundAtServer,
  StreamDeletedError,
  UnavailableError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import {
  AppendOutcomeUnknownError,
  EventStoreUnavailableError,
  EventTooLargeError,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type ExpectedRevision,
} from '../port.js';
import { NotConnectedError } from './client.js';

/** Maps the error of a failed append. The outcome is known only if the answer states that nothing was stored. */
export function appendError(error: unknown, stream: string, expected: ExpectedRevision): Error {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    return new WrongExpectedRevisionError(
      stream,
      expected,
      typeof actualVersion === 'bigint' ? Number(actualVersion) : -1,
    );
  }
  // The name of a deleted stream is never used again, and reading it finds no stream.
  if (error instanceof StreamDeletedError) return new WrongExpectedRevisionError(stream, expected, -1);
  if (error instanceof MaxAppendSizeExceededError) {
    return new EventTooLargeError(`the event store takes at most ${error.maxAppendSize} bytes in one append`);
  }
  return writeError(error, stream);
}

/** The same, of any write to a stream. */
export function writeError(error: unknown, stream: string): Error {
  if (error instanceof EventStoreUnavailableError) return error;
  const reason = reasonOf(error);
  if (error instanceof AccessDeniedError || neverSent(error)) {
    return new EventStoreUnavailableError(`the event log takes no writes now: ${reason}`, { cause: error });
  }
  return new AppendOutcomeUnknownError(`whether ${stream} was written is not known: ${reason}`, { cause: error });
}

/** The error of a failed read. */
export function readError(error: unknown, stream?: string): Error {
  if (stream !== undefined && (error instanceof NotFoundAtServer || error instanceof StreamDeletedError))
    return new StreamNotFoundError(stream);
  if (error instanceof EventStoreUnavailableError) return error;
  if (error instanceof RangeError) return error;
  return new EventStoreUnavailableError(`the event log cannot be read now: ${reasonOf(error)}`, { cause: error });
}

export const isNotLeader = (error: unknown): boolean => error instanceof NotLeaderError;

/** A read whose connection broke, or that was redirected to the leader, is worth retrying. */
export const isWorthRepeating = (error: unknown): boolean =>
  error instanceof NotLeaderError || (error instanceof UnavailableError && !neverSent(error));

/** The server does not let this user in, or the client does not trust the server: asking again is of no use. */
export const isFinal = (error: unknown): boolean =>
  error instanceof AccessDeniedError ||
  (error instanceof Error && (/certificate|altnames/i.test(error.message) || isFinal(error.cause)));

/**
 * The server answered that it cannot do this, as it does for a position where no event begins. (By the client's mapping, too many
 * concurrent calls and calls that a closing connection broke off have an unknown type too, and prove nothing about the position.)
 */
export const isAppendRefusal = (error: unknown): boolean =>
  error instanceof InvalidArgumentError ||
  (error instanceof UnknownError && error.code !== status.RESOURCE_EXHAUSTED && !/RST_STREAM/.test(error.message));

/**
 * Calls without a connection and calls that broke share one code (UNAVAILABLE): only gRPC's message distinguishes them.
 */
const neverSent = (error: unknown): boolean =>
  error instanceof NotConnectedError ||
  (error instanceof UnavailableError &&
    /No connection established|Name resolution failed|Channel closed before call started/.test(error.message));

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
