import { BusUnavailableError, CallTimedOutError, NoServerError, RemoteError, ServerLostError } from '#bus/port.js';
import { ConflictError, InvalidError, NotReadyYetError, UnavailableError } from '#domain/errors.js';
import type { InferenceErrorType } from '#domain/inference/index.js';
import { BASE_MODEL_HEADS } from '#gpu-runner/base-models.js';
import { INFERENCE_ERRORS } from '#gpu-runner/inference/protocol.js';
import { HEADS, type EncoderRequest } from './native/request.js';
import type { NamedModel } from './served-models.js';

export interface Failure {
  /** null for a request that the model rightly refused: it was not valid, and is not recorded. */
  readonly errorType: InferenceErrorType | null;
  readonly errorMessage: string | null;
  /** What the caller is answered. */
  readonly answer: unknown;
}

/** What an encoder call that failed is recorded as, and answered. */
export function failureOf(error: unknown, model: NamedModel): Failure {
  const unavailable = (errorType: InferenceErrorType, errorMessage: string): Failure => ({
    ...{ errorType, errorMessage },
    answer: new UnavailableError(errorMessage, { cause: error }),
  });
  const notReady = (answer: ConflictError | NotReadyYetError): Failure => ({
    ...{ errorType: 'model_not_ready', errorMessage: answer.message, answer },
  });
  const refused = (answer: InvalidError): Failure => ({ errorType: null, errorMessage: null, answer });
  if (error instanceof ConflictError || error instanceof NotReadyYetError) return notReady(error);
  if (error instanceof InvalidError) return refused(error);
  if (error instanceof CallTimedOutError) return unavailable('timeout', 'the model did not answer in time');
  if (error instanceof NoServerError) return unavailable('capacity_exhausted', 'no runner serves models now');
  if (error instanceof ServerLostError)
    return unavailable('capacity_exhausted', 'the runner that had the call was lost; try again');
  if (error instanceof BusUnavailableError)
    return unavailable('capacity_exhausted', 'the runners cannot be reached now; try again');
  if (!(error instanceof RemoteError)) return unavailable('internal', 'the model failed');
  switch (error.code) {
    case INFERENCE_ERRORS.notServable:
      return notReady(new ConflictError(`model ${model.modelId} has no active deployment: ${error.message}`));
    case INFERENCE_ERRORS.unavailable:
      return unavailable('capacity_exhausted', `${error.message}; try again`);
    case INFERENCE_ERRORS.schemaRequired:
      return refused(schemaRequired(model));
    case INFERENCE_ERRORS.unsupportedHead:
      return refused(lacksHead(model, error.message));
    default:
      return { errorType: 'internal', errorMessage: 'the model failed', answer: error };
  }
}

const schemaRequired = (model: NamedModel): InvalidError =>
  new InvalidError({
    path: ['body', 'schema'],
    message: `is required: ${model.modelId} has no labels of its own. Send a list of entity labels, or {entities, classifications, structures, relations}`,
    type: 'missing',
  });

/** @throws InvalidError where none is given to a model without labels of its own, and naming heads that it is known to lack */
export function requireSchema({ schema, isWarmup }: EncoderRequest, model: NamedModel): void {
  const { modelId, baseModel, trainingJobId } = model;
  if (schema === null && trainingJobId === null && !isWarmup) throw schemaRequired(model);
  const known = BASE_MODEL_HEADS.get(baseModel.id);
  if (!known || !schema) return;
  const lacking = HEADS.filter((head) => schema[head] && !known.includes(head));
  if (lacking.length === 0) return;
  throw new InvalidError(lacking.map((head) => lack(head, modelId, `it does ${known.join(' and ')}`)));
}

/** The engine's message names the head. */
function lacksHead({ modelId }: NamedModel, message: string): InvalidError {
  const named = /\bno (\w+) head\b/.exec(message)?.[1];
  const head = HEADS.find((each) => each === named);
  return new InvalidError(lack(head, modelId, message));
}

const lack = (head: (typeof HEADS)[number] | undefined, modelId: string, why: string) => ({
  path: ['body', 'schema', ...(head ? [head] : [])],
  message: `model ${modelId} has no ${head ?? 'such'} head: ${why}`,
  type: 'not_allowed',
});
