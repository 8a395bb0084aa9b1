import {
  BusUnavailableError,
  CallTimedOutError,
  NoServerError,
  RemoteError,
  ServerLostError,
} from '#ports/bus/port.js';
import { ConflictError, InvalidError, NotReadyYetError, QueueFullError, UnavailableError } from '#domain/errors.js';
import type { InferenceErrorType } from '#domain/inference/index.js';
import { isInferenceError } from '#gpu-runner/contract/inference-errors.js';
import type { EncoderRequest } from '../../encoder-request.js';
import { lacksHead, refusedGeneration, refusedSchema, schemaRequired } from '../../fit.js';
import type { Failure } from '../../lifecycle.js';
import type { Model } from '../../models.js';

/** About a second of work. */
const LARGE_CALL_CHARACTERS = 100_000;

/** A call whose client disconnected. */
export const LEFT: Failure = {
  errorType: 'cancelled',
  errorMessage: 'the caller has gone',
  answer: new UnavailableError('the caller has gone'),
};

/** The recorded and the answered form of a failed call of an engine here. */
export function failureOf(error: unknown, model: Model): Failure {
  const unavailable = (errorType: InferenceErrorType, errorMessage: string): Failure => ({
    ...{ errorType, errorMessage },
    answer: new UnavailableError(errorMessage, { cause: error }),
  });
  const notReady = (answer: ConflictError | NotReadyYetError): Failure => ({
    ...{ errorType: 'model_not_ready', errorMessage: answer.message, answer },
  });
  const refused = (answer: InvalidError | QueueFullError): Failure => ({ errorType: null, errorMessage: null, answer });
  if (error instanceof ConflictError || error instanceof NotReadyYetError) return notReady(error);
  if (error instanceof InvalidError || error instanceof QueueFullError) return refused(error);
  if (error instanceof CallTimedOutError) return unavailable('timeout', 'the model did not answer in time');
  if (error instanceof NoServerError) return unavailable('capacity_exhausted', 'no runner serves models now');
  if (error instanceof ServerLostError)
    return unavailable('capacity_exhausted', 'the runner that had the call was lost; try again');
  if (error instanceof BusUnavailableError)
    return unavailable('capacity_exhausted', 'the runners cannot be reached now; try again');
  if (!(error instanceof RemoteError)) return unavailable('internal', 'the model failed');
  if (!isInferenceError(error)) return { errorType: 'internal', errorMessage: 'the model failed', answer: error };
  switch (error.code) {
    case 'not_servable':
      return notReady(new ConflictError(`model ${model.modelId} has no active deployment: ${error.message}`));
    case 'unavailable':
      return unavailable('capacity_exhausted', `${error.message}; try again`);
    case 'schema_required':
      return refused(schemaRequired(model));
    case 'refused_schema':
      return refused(new InvalidError(refusedSchema(error.message)));
    case 'refused_generation':
      return refused(new InvalidError(refusedGeneration(error.details.field, error.message)));
    case 'unsupported_head':
      return refused(new InvalidError(lacksHead(error.details.head, model.modelId, error.message)));
  }
}

/** The error for a call that exceeded the time limit because of its own size; null for any other call. */
export function tooMuch(error: unknown, { texts }: Pick<EncoderRequest, 'texts'>): InvalidError | null {
  if (!(error instanceof CallTimedOutError)) return null;
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters < LARGE_CALL_CHARACTERS) return null;
  return new InvalidError({
    path: ['texts'],
    message: `has ${characters} characters, too many for the time limit of a call; send them in several calls`,
    type: 'out_of_range',
  });
}
