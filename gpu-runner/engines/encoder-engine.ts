/**
 * An engine of encoders whose work runs in its own processes, so that it never blocks the event loop of its caller. `engine.ts` has
 * the port of engines that run in threads of the runner, and the requests, answers and offsets of both.
 */

import type { ExportOrder } from '#gpu-runner/contract/export.js';
import type { InferRequest, InferResponse, ModelAbilities, TrainReport, TrainRequest, TrainResult } from './engine.js';
import type { ProcessModel } from './process-model.js';

export interface LoadedEncoder extends ProcessModel {
  readonly abilities: ModelAbilities;
  /**
   * Calls may run side by side; aborting drops one.
   * @throws UnsupportedHeadError
   * @throws RefusedSchemaError
   * @throws EngineUnavailableError
   * @throws the signal's reason once it is aborted
   */
  infer(request: InferRequest, signal: AbortSignal): Promise<InferResponse>;
}

export interface EncoderEngine {
  /**
   * Trains until done or until the signal aborts. A report of a checkpoint resolves once it was stored: no other
   * checkpoint is written before that.
   * @throws TrainingError when the data cannot be learned from (its message is shown to the user)
   */
  train(
    request: TrainRequest,
    report: (report: TrainReport) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<TrainResult>;
  /**
   * @param adapterDirectory an artifact made by this engine, or null for the base alone
   * @throws ArtifactError when the artifact is of another engine version or base, or is damaged
   * @throws EngineUnavailableError, as OutOfMemoryError where fewer models in memory may help
   */
  load(baseDirectory: string, adapterDirectory: string | null): Promise<LoadedEncoder>;
  readonly export?: ExportOrder;
  /** Ends its processes. */
  close(): Promise<void>;
}

/** The model cannot answer with such a schema. The message, for the user, gives the part and the reason. */
export class RefusedSchemaError extends Error {
  override readonly name = 'RefusedSchemaError';
}
