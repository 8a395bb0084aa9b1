import { HttpException } from '@nestjs/common';
import {
  BillingError,
  ConflictError,
  DamagedError,
  DomainError,
  ForbiddenError,
  InvalidError,
  KeyRateError,
  NotFoundError,
  NotReadyYetError,
  QueueFullError,
  QuotaExceededError,
  RegionRestrictedError,
  UnavailableError,
  UpstreamRejectedError,
  WrongModelError,
  type InvalidField,
  type Mend,
} from '#domain/errors.js';
import { CONTEXT_LENGTH_EXCEEDED } from '#calls/hosted/context-length.js';
import { HttpError, summaryOf } from './http-error.js';
import { limitReached } from './limit-reached.js';

/**
 * The HTTP error for a thrown error. An unforeseen one is a 500 that reveals no internals.
 * @param billingUrl page where people can resolve a billing error
 */
export function toHttpError(error: unknown, billingUrl: BillingUrl = () => '/'): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof DomainError) return ofDomain(error, billingUrl);
  if (error instanceof HttpException) return ofFastify(error.getStatus(), error.cause ?? error);
  if (isFastify(error) && error.statusCode < 500) return ofFastify(error.statusCode, error);
  if (error instanceof Error && error.name === 'LogDamagedError') return unavailable(DAMAGED, error, 60);
  if (isOutage(error)) return unavailable('a part of this service is unavailable; try again', error);
  if (error instanceof Error && error.name === 'EventTooLargeError')
    return new HttpError(413, 'the request is too large to be recorded; send less at once', {
      code: 'request_too_large',
      cause: error,
    });
  if (error instanceof Error && error.name === 'ObjectTooLargeError')
    return new HttpError(413, `the file is ${error.message}, the maximum of an upload; upload a smaller file`, {
      code: 'request_too_large',
      cause: error,
    });
  if (error instanceof RangeError && /call stack/.test(error.message))
    return new HttpError(
      422,
      'the request is nested too deeply, or holds too long a word; make it flatter, or split the word',
      {
        code: 'invalid',
        cause: error,
      },
    );
  return new HttpError(500, 'an unexpected error; report it with the X-Request-Id of this answer', { cause: error });
}

type BillingUrl = (error: BillingError) => string;

function ofDomain(error: DomainError, billingUrl: BillingUrl): HttpError {
  const options = { code: error.code, cause: error };
  if (error instanceof InvalidError) {
    const errors = error.fields.map((field) => ({
      loc: locationOf(field.path),
      msg: messageOf(field),
      type: field.type,
    }));
    const isTooLong = error.fields.some(({ type }) => type === CONTEXT_LENGTH_EXCEEDED);
    return new HttpError(422, summaryOf(errors), {
      ...options,
      errors,
      ...(isTooLong && { code: CONTEXT_LENGTH_EXCEEDED }),
    });
  }
  if (error instanceof NotFoundError)
    return new HttpError(404, error.message, { ...options, ...(error.what === 'model' && { param: 'model' }) });
  if (error instanceof ConflictError || error instanceof DamagedError)
    return new HttpError(409, messageOf(error), options);
  if (error instanceof WrongModelError) return new HttpError(400, messageOf(error), { ...options, param: 'model' });
  if (error instanceof NotReadyYetError) {
    const status = error.code === 'warming_up' ? 425 : 409;
    return new HttpError(status, error.message, { ...options, retryAfterSeconds: error.retryAfterSeconds });
  }
  if (error instanceof BillingError) {
    const status = error.code === 'out_of_credits' || error.code === 'direct_model_requires_credits' ? 402 : 403;
    return new HttpError(status, error.message, { ...options, resolutionUrl: billingUrl(error) });
  }
  if (error instanceof QueueFullError) return queueFull(error);
  if (error instanceof QuotaExceededError) return new HttpError(413, error.message, options);
  if (error instanceof RegionRestrictedError) return new HttpError(451, error.message, options);
  if (error instanceof ForbiddenError) return new HttpError(403, error.message, options);
  if (error instanceof UpstreamRejectedError) {
    const { param } = error.upstream;
    return new HttpError(error.status, error.message, { ...options, ...(param !== undefined && { param }) });
  }
  if (error instanceof KeyRateError) return limitReached(error.message, error, error);
  if (error instanceof UnavailableError) return unavailable(error.message, error, error.retryAfterSeconds);
  return new HttpError(500, 'an unexpected error; report it with the X-Request-Id of this answer', { cause: error });
}

/** First elements of paths refused by the API's own code; the domain names fields only. */
const PARTS_OF_A_REQUEST: readonly unknown[] = ['body', 'query', 'path'];
/** Fields of commands and queries that no body has. */
const IN_THE_QUERY: readonly unknown[] = ['asOf'];

const locationOf = (path: InvalidField['path']): InvalidField['path'] =>
  PARTS_OF_A_REQUEST.includes(path[0])
    ? path
    : [IN_THE_QUERY.includes(path[0]) ? 'query' : 'body', ...path.map(nameInBody)];

const nameInBody = (part: string | number): string | number =>
  typeof part === 'string' ? part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : part;

const MENDS: Readonly<Record<Mend, string>> = {
  'process-upload': 'upload the file and call upload/process',
  'end-uploads': 'call upload/process for them, delete their versions, or wait: they end after a day',
  complete: 'use /v1/completions, or its instruct variant',
  'chat-or-embedder': 'use it with /v1/chat/completions, or name an embedder (GET /base-models?task_type=embedding)',
  'complete-or-embedder': 'use it with /v1/completions, or name an embedder (GET /base-models?task_type=embedding)',
  embed: 'use it with /v1/embeddings',
  label: 'use POST /inference',
};

const messageOf = ({ message, mend }: { readonly message: string; readonly mend?: Mend | null }): string =>
  mend ? `${message}; ${MENDS[mend]}` : message;

function queueFull(error: QueueFullError): HttpError {
  const { code, scope, queue, retryAfterSeconds } = error;
  return new HttpError(429, messageOf(error), {
    code,
    scope,
    queueLength: queue.length,
    retryAfterSeconds,
    headers: {
      'x-ratelimit-scope': scope,
      'x-ratelimit-code': code,
      'x-ratelimit-limit': String(queue.limit),
      'x-ratelimit-remaining': String(Math.max(0, queue.limit - queue.length)),
    },
    cause: error,
  });
}

const DAMAGED = 'the event log is damaged where this is recorded; it must be restored from its backup';

const unavailable = (message: string, cause: unknown, retryAfterSeconds = 1): HttpError =>
  new HttpError(503, message, { code: 'unavailable', retryAfterSeconds, cause });

/** The ports' errors for "not now", by name, because adapters may throw them across a thread. */
const OUTAGES = new Set([
  'EventStoreUnavailableError',
  'AppendOutcomeUnknownError',
  'ReadStoreUnavailableError',
  'NotBuiltError',
  'CoordinationUnavailableError',
  'ObjectStoreUnavailableError',
  'BusUnavailableError',
  'BusFullError',
  'BusClosedError',
  'NoServerError',
  'ServerLostError',
  'CallTimedOutError',
]);
const isOutage = (error: unknown): boolean => error instanceof Error && OUTAGES.has(error.name);

const isFastify = (error: unknown): error is Error & { statusCode: number; code?: string } =>
  error instanceof Error && typeof (error as { statusCode?: unknown }).statusCode === 'number';

/** Errors that Fastify or Nest find before any of our code runs. */
function ofFastify(status: number, cause: unknown): HttpError {
  const message = cause instanceof Error ? cause.message : 'the request cannot be read';
  const code = (cause as { code?: string }).code;
  // A path with invalid percent-encoding, or too long, matches no route.
  if (code === 'FST_ERR_BAD_URL' || status === 414) return notFound(cause);
  switch (status) {
    case 404:
      return notFound(cause);
    case 415:
      return new HttpError(400, 'this route takes JSON: send Content-Type: application/json', { cause });
    case 413:
      return new HttpError(413, 'the request body is too large', { code: 'request_too_large', cause });
    default:
      return new HttpError(status, message, { cause });
  }
}

const notFound = (cause: unknown): HttpError =>
  new HttpError(404, 'no such route; /docs lists what there is', { code: 'not_found', cause });
