import { BusUnavailableError, CallTimedOutError, NoServerError, RemoteError, ServerLostError } from '#bus/port.js';
import { ConflictError, InvalidError, NotReadyYetError, QueueFullError, UnavailableError } from '#domain/errors.js';
import type { InferenceErrorType } from '#domain/inference/index.js';
import { BASE_MODEL_HEADS, MAX_TEXT_CHARACTERS } from '#gpu-runner/base-models.js';
import { isInferenceError } from '#gpu-runner/contract/inference-errors.js';
import { HEADS, type EncoderRequest } from '../../encoder-request.js';
import type { Failure } from '../../lifecycle.js';
import type { Model } from '../../models.js';

/** About a second of work. */
const LARGE_CALL_CHARACTERS = 100_000;

/** Of a call whose client has gone. */
export const LEFT: Failure = {
  errorType: 'cancelled',
  errorMessage: 'the caller has gone',
  answer: new UnavailableError('the caller has gone'),
};

/** What an encoder call that failed is recorded as, and answered. */
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
    case 'unsupported_head':
      return refused(new InvalidError(lack(error.details.head, model.modelId, error.message)));
  }
}

const schemaRequired = (model: Model): InvalidError =>
  new InvalidError({
    path: ['body', 'schema'],
    message: `is required: ${model.modelId} has no labels of its own. Send a list of entity labels, or {entities, classifications, structures, relations}`,
    type: 'missing',
  });

/** @throws InvalidError where none is given to a model without labels of its own, and naming heads that it is known to lack */
export function requireSchema({ schema, isWarmup }: EncoderRequest, model: Model): void {
  const { modelId, entry, trainingJobId } = model;
  if (schema === null && trainingJobId === null && !isWarmup) throw schemaRequired(model);
  const known = BASE_MODEL_HEADS.get(entry.id);
  if (!known || !schema) return;
  const lacking = HEADS.filter((head) => schema[head] && !known.includes(head));
  if (lacking.length === 0) return;
  throw new InvalidError(lacking.map((head) => lack(head, modelId, `it does ${known.join(' and ')}`)));
}

/** @throws InvalidError naming each text that is longer than a model is given */
export function requireReadable({ texts, textField, batch }: EncoderRequest): void {
  const tooLong = texts.flatMap((text, index) => {
    // A code point is two units at most.
    const characters = text.length > MAX_TEXT_CHARACTERS ? codePointsIn(text) : 0;
    if (characters <= MAX_TEXT_CHARACTERS) return [];
    return {
      path: ['body', textField, ...(batch ? [index] : [])],
      message: `must be at most ${MAX_TEXT_CHARACTERS} characters (got ${characters}); cut it into several texts`,
      type: 'out_of_range',
    };
  });
  if (tooLong.length > 0) throw new InvalidError(tooLong);
}

/** Without a list of them, which takes a tenth of a second for a few million. */
function codePointsIn(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at += 1)
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      pairs += 1;
      at += 1;
    }
  return text.length - pairs;
}

/** A call that is so large that its time was up for its own sake: null for any other. */
export function tooMuch(error: unknown, { texts, textField }: EncoderRequest): InvalidError | null {
  if (!(error instanceof CallTimedOutError)) return null;
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters < LARGE_CALL_CHARACTERS) return null;
  return new InvalidError({
    path: ['body', textField],
    message: `of ${characters} characters cannot be read in the time that a call has; send them in several calls`,
    type: 'out_of_range',
  });
}

const lack = (head: (typeof HEADS)[number] | undefined, modelId: string, why: string) => ({
  path: ['body', 'schema', ...(head ? [head] : [])],
  message: `model ${modelId} has no ${head ?? 'such'} head: ${why}`,
  type: 'not_allowed',
});
