import {
  ConflictError,
  QueueFullError,
  SaturatedError,
  UnavailableError,
  UpstreamRejectedError,
} from '#domain/errors.js';
import type { InferenceErrorType } from '#domain/inference/index.js';
import { CONTEXT_LENGTH_EXCEEDED } from '../../hosted/context-length.js';
import { HostedModelError } from '../../hosted/port.js';
import type { Failure } from '../../lifecycle.js';

/** The recorded and the answered form of a failed call to a hosted model. */
export function failureOf(error: unknown): Failure {
  const { errorType, answer } = answerTo(error);
  return { errorType, errorMessage: answer.message, answer };
}

function answerTo(error: unknown): { readonly errorType: InferenceErrorType; readonly answer: Error } {
  if (error instanceof ConflictError) return { errorType: 'model_not_ready', answer: error };
  if (error instanceof UnavailableError) return { errorType: 'internal', answer: error };
  if (!(error instanceof HostedModelError))
    return { errorType: 'internal', answer: new UnavailableError('the model failed', { cause: error }) };
  const { kind, message, details } = error;
  const { retryAfterSeconds, upstreamStatus: status } = details;
  const unavailable = new UnavailableError(message, {
    cause: error,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
  switch (kind) {
    case 'rejected': {
      const isTooLong = details.code === CONTEXT_LENGTH_EXCEEDED;
      const rejected = !isTooLong && (status === 413 || status === 422) ? status : 400;
      return { errorType: 'internal', answer: new UpstreamRejectedError(message, rejected, details) };
    }
    case 'saturated':
      return {
        errorType: 'capacity_exhausted',
        answer: new SaturatedError(message, unavailable.retryAfterSeconds, { cause: error }),
      };
    case 'crowded': {
      const queue = details.queue ?? { length: 0, limit: 0 };
      return {
        errorType: 'capacity_exhausted',
        answer: new QueueFullError(message, 'provider-connections', queue, unavailable.retryAfterSeconds),
      };
    }
    case 'timeout':
      return { errorType: 'timeout', answer: unavailable };
    case 'cancelled':
      return { errorType: 'cancelled', answer: unavailable };
    case 'unavailable':
      return { errorType: 'internal', answer: unavailable };
  }
}
