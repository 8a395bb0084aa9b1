import { inferenceError } from '#gpu-runner/contract/inference-errors.js';
import { EngineUnavailableError, RefusedGenerationError } from '#gpu-runner/engines/decoder-engine.js';
import { RefusedSchemaError } from '#gpu-runner/engines/encoder-engine.js';
import { ArtifactError, UnsupportedHeadError } from '#gpu-runner/engines/engine.js';

/** An engine's error in the form of a runner's answer; any other unchanged. */
export function asAnswered(error: unknown): unknown {
  if (error instanceof UnsupportedHeadError)
    return inferenceError('unsupported_head', { head: error.head }, error.message);
  if (error instanceof RefusedSchemaError) return inferenceError('refused_schema', {}, error.message);
  if (error instanceof RefusedGenerationError)
    return inferenceError('refused_generation', { field: error.field }, error.message);
  if (error instanceof EngineUnavailableError) return inferenceError('unavailable', {}, error.message);
  return error instanceof ArtifactError ? inferenceError('not_servable', {}, error.message) : error;
}
