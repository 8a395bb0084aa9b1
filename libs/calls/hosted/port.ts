import type { AnsweringProvider } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import type { EmbedderInput } from '../embeddings.js';
import type { GenerationEvent } from './events.js';
import type { GenerationRequest } from './request.js';

export * from './errors.js';
export * from './events.js';
export * from './request.js';

/**
 * The port to hosted models. Requests in any dialect become one `GenerationRequest`, and answers of any provider one
 * stream of `GenerationEvent`s.
 */
export interface HostedModels {
  /** Whether the configuration has a provider of this name. */
  has(provider: string): boolean;
  /** Whether a provider of the model accepts its thoughts back only with their signature. */
  verifiesThoughts(model: HostedModel): boolean;
  /** Whether every provider of the model reads token ids, in the encoding of the model itself. */
  takesTokenIds(model: HostedModel): boolean;
  /**
   * Runs a request. It is sent when the first events are requested; leaving the loop early, or aborting, cancels it
   * upstream. Events come in batches, like the provider's pieces: none is held back, and none costs a turn of its own.
   * @throws HostedModelError before or between events
   */
  generate(
    model: HostedModel,
    request: GenerationRequest,
    options?: GenerateOptions,
  ): AsyncIterable<readonly GenerationEvent[]>;
  /** @throws HostedModelError */
  embed(model: HostedModel, request: EmbeddingRequest, options?: UpstreamOptions): Promise<Embeddings>;
  /**
   * Input tokens by the provider's own count; null if its style has no such call.
   * @throws HostedModelError
   */
  countTokens(model: HostedModel, request: GenerationRequest, options?: UpstreamOptions): Promise<number | null>;
  /** Cancels running calls. */
  close(): Promise<void>;
}

/** A model of a provider: `provider` of a catalog entry. */
export interface HostedModel {
  /** Provider name in the providers file. */
  readonly name: string;
  /** The model's id there. */
  readonly model: string;
  /** Fallbacks, tried in this order while the ones before are unavailable; none after the first byte. */
  readonly fallbacks?: readonly { readonly name: string; readonly model: string }[];
}

export interface UpstreamOptions {
  /** Aborts when the client has disconnected. */
  readonly signal?: AbortSignal;
  /** The workspace that shares the provider's connections with others. Default: the installation itself. */
  readonly workspace?: CallingWorkspace;
}

export interface CallingWorkspace {
  readonly id: string;
  /** Maximum number of its calls at one provider, in flight or waiting for a connection. */
  readonly maxCalls: number;
}

export interface GenerateOptions extends UpstreamOptions {
  /** Whether the provider streams; false requests the whole answer at once, as one batch. Default true. */
  readonly stream?: boolean;
  /** Called once with the provider that answers, before the first event. Its `response` is complete at the end of the answer. */
  readonly onProvider?: (provider: AnsweringProvider) => void;
  /** Called before the first event with the hints of the request that the model was not given, by the names of the caller's dialect. */
  readonly onDropped?: (names: readonly string[]) => void;
}

export interface EmbeddingRequest {
  /** 1 to 2,048 texts or lists of token ids. */
  readonly inputs: readonly EmbedderInput[];
  /** Fewer than the model's own dimensions, if it can. */
  readonly dimensions?: number;
  /**
   * Encoding of the provider's response: JSON numbers, or base64 of 32-bit floats in a third of the bytes (the
   * default).
   */
  readonly encoding?: 'float' | 'base64';
  readonly endUser?: string;
  readonly unknownFields?: JsonObject;
}

export interface Embeddings {
  /** A vector for each input, in their order. */
  readonly vectors: readonly (readonly number[] | Float32Array)[];
  /** null: the provider did not count them. */
  readonly inputTokens: number | null;
  /** The provider that answered. */
  readonly provider: AnsweringProvider;
}
