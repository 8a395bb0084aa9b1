import type { InferenceTask } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { FinishReason, GenerationRequest, TokenUsage } from '#hosted-models/port.js';
import type { CatalogEntry } from '#model-catalog/catalog.js';
import type { Caller } from '#application/caller.js';
import type { GenerationRun } from './generation-run.js';
import type { Produced } from './produced.js';

/**
 * Runs decoders, for the routes that generate and for the generator of synthetic data: a call is admitted (money), opened on
 * the log, run, recorded and settled, in that order.
 */
export interface DecoderCalls {
  /**
   * The decoder of a catalog id or alias, as the caller's workspace sees the catalog.
   * @throws NotFoundError unknown, or hidden from this workspace
   * @throws InvalidError it is not a decoder
   * @throws ConflictError it is in the catalog and cannot be served here
   */
  find(caller: Caller, modelId: string): Promise<DecoderModel>;
  /**
   * @throws BillingError, RegionRestrictedError before anything runs
   * @throws UpstreamRejectedError the provider refused the request itself: its status and message
   * @throws UnavailableError anything else that kept it from an answer; with `retryAfterSeconds` where the provider gave one
   */
  run(model: DecoderModel, call: DecoderCall): Promise<DecoderAnswer>;
  /**
   * Resolves when the first events are there and its opening is on the log.
   * @throws as `run` does, before anything of an answer is there
   */
  start(model: DecoderModel, call: DecoderCall): Promise<GenerationRun>;
}

export interface DecoderModel {
  /** As the caller named it. */
  readonly modelId: string;
  readonly entry: CatalogEntry;
}

export interface DecoderCall {
  readonly caller: Caller;
  /** Of the request, or of the job, that this call belongs to. */
  readonly correlationId: string;
  readonly request: GenerationRequest;
  /** What the history shows as input: the caller's own words for what was asked. */
  readonly input: JsonObject;
  /** False: nothing of the content is kept. */
  readonly store: boolean;
  readonly projectId: string | null;
  readonly format: 'native' | 'openai' | 'anthropic';
  readonly task: Extract<InferenceTask, 'generate'>;
  /** What the history shows as output; the text, where it is absent. */
  readonly output?: (produced: Produced) => Json;
  /** False: the provider is asked for the whole answer at once. Default true. */
  readonly stream?: boolean;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

export interface DecoderAnswer {
  readonly inferenceId: string;
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  readonly latencyMs: number;
}
