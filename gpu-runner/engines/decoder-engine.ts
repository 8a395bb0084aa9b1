/**
 * An engine that trains and serves models which generate text. Its work runs in its own processes, so that it never blocks the
 * event loop of its caller.
 */

import type { ExportOrder } from '#gpu-runner/contract/export.js';
import type {
  ChatMessage,
  GeneratedChunk,
  GenerateRequest,
  GenerationFeature,
  GenerationTool,
} from '#gpu-runner/contract/generation.js';
import type { DecoderTrainSettings, TrainMetrics, TrainReport, TrainRequest } from './engine.js';
import type { ProcessModel } from './process-model.js';

export type * from '#gpu-runner/contract/export.js';
export type * from '#gpu-runner/contract/generation.js';
export { EngineUnavailableError, OutOfMemoryError } from './process-model.js';

/** A message of a row. */
export interface ExampleMessage extends ChatMessage {
  /** The name of the speaker, or of the tool. */
  readonly name?: string;
  /** The thoughts before an answer. */
  readonly reasoning?: string;
  /** The answer is read, and not learned. */
  readonly isContext?: true;
}

/** A chat that ends with the expected answer of the assistant. */
export interface ChatExample {
  readonly messages: readonly ExampleMessage[];
  /** Tools that the assistant may call. */
  readonly tools?: readonly GenerationTool[];
}

/** A chat that waits for an answer, with a better and a worse one. */
export interface PreferenceExample {
  readonly prompt: readonly ExampleMessage[];
  readonly tools?: readonly GenerationTool[];
  readonly chosen: string;
  readonly rejected: string;
}

interface TrainRows<Kind extends string, Row> {
  readonly kind: Kind;
  readonly train: readonly Row[];
  /** Held out by the caller (seeded split). May be empty only when training has fewer than 2 rows. */
  readonly validation: readonly Row[];
}

/** Answers are learned from chats. With preferences a model learns to prefer the chosen answers, measured against the one it began with. */
export type DecoderTrainRequest = Omit<TrainRequest, 'train' | 'validation' | 'sources' | 'settings'> & {
  readonly settings: DecoderTrainSettings;
} & (TrainRows<'chats', ChatExample> | TrainRows<'preferences', PreferenceExample>);

export interface DecoderTrainResult {
  /** Folder of the finished adapter. */
  readonly artifactDirectory: string;
  /** Losses in nats: the mean over the tokens of the assistant's answers, or over pairs of answers. */
  readonly metrics: Pick<TrainMetrics, 'finalTrainingLoss' | 'finalValidationLoss' | 'bestValidationLoss' | 'rewards'>;
  readonly epochsRun: number;
}

export interface LoadedDecoder extends ProcessModel {
  /**
   * Pulls decide how far the model runs ahead: it holds a bounded number of unread chunks. Leaving the loop early, or
   * aborting, ends the generation. Calls may run side by side.
   * @throws RefusedGenerationError before the first chunk
   * @throws EngineUnavailableError
   * @throws the signal's reason once it is aborted
   */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GeneratedChunk>;
  /**
   * The loss of the answer that ends a chat. Absent if the engine does not compute it.
   * @throws as `generate`
   */
  score?(chat: ChatExample, signal: AbortSignal): Promise<AnswerLoss>;
}

/** A model's loss on an answer, in nats summed over `tokens` tokens; 0 tokens if unknown. */
export type AnswerLoss = { readonly nats: number; readonly tokens: number };

export interface DecoderEngine {
  /**
   * Trains an adapter until done or until the signal aborts. Reports as `Engine.train` does; `f1` is null. A report of
   * a checkpoint resolves once it was stored: no other checkpoint is written before that.
   * @throws TrainingError when the data cannot be learned from (its message is shown to the user)
   */
  train(
    request: DecoderTrainRequest,
    report: (report: TrainReport) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<DecoderTrainResult>;
  /**
   * @param adapterDirectory an artifact made by this engine, or null for the base alone
   * @throws ArtifactError when the artifact is of another engine version or base, or is damaged
   * @throws EngineUnavailableError, as OutOfMemoryError where fewer models in memory may help
   */
  load(baseDirectory: string, adapterDirectory: string | null): Promise<LoadedDecoder>;
  readonly export?: ExportOrder;
  /** Ends its processes. */
  close(): Promise<void>;
}

/** Generates with a base model and adapters on it, for engines that do not do so themselves. */
export type DecoderServer = Pick<DecoderEngine, 'load' | 'close'>;

/**
 * Whether a server takes such a request; if not, the engine does whose models it serves.
 * @param features of the base model at the server, as its address has them
 */
export type TakesRequest = (request: GenerateRequest, features: readonly GenerationFeature[]) => boolean;

/** Opens such a server for the runner of this name, which is unique. */
export type OpenDecoderServer = (runner: string) => DecoderServer;

/** The model cannot run such a request. The message, for the user, gives the part and the reason. */
export class RefusedGenerationError extends Error {
  override readonly name = 'RefusedGenerationError';
  constructor(
    /** The field of the request. */
    readonly field: keyof GenerateRequest,
    message: string,
  ) {
    super(message);
  }
}

/** A model cannot be exported in the format. The message, for the user, gives the reason. */
export class UnsupportedExportError extends Error {
  override readonly name = 'UnsupportedExportError';
}
