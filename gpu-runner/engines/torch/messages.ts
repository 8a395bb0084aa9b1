import type { JsonObject } from '#domain/json.js';
import type { ExportFormat } from '#domain/model-export/index.js';
import type { GenerationToolChoice, TokenLogprob } from '../decoder-engine.js';
import type {
  DecoderSettings,
  ExplainRequest,
  InferResult,
  InferSchema,
  InferWarning,
  ModelAbilities,
  TrainSettings,
} from '../engine.js';
import type { Message } from './frames.js';

/**
 * The protocol between the runner and the processes of engines: `anneal_runner` (Python) and that of llama.cpp. Another
 * version is refused by name.
 */
export const PROTOCOL = 1;

/** A base model. The process compares the hash with the one that an adapter was trained on. */
export interface BaseOfMessage {
  readonly id: string;
  readonly sha256: string;
  readonly directory: string;
}

/** From the runner to the process. Rows and weights are files; frames name them. */
export type ToEngine =
  | TrainMessage
  | TorchExportMessage
  | {
      readonly type: 'load';
      /** Absent: a decoder. */
      readonly kind?: 'encoder';
      readonly model: string;
      readonly base: BaseOfMessage;
      readonly adapter: string | null;
    }
  | { readonly type: 'unload'; readonly model: string }
  | GenerateMessage
  | InferMessage
  | ScoreMessage
  /** Cancels one generation or inference; null: the training or export. */
  | { readonly type: 'cancel'; readonly id: string | null }
  /** The sender may continue: everything up to `seq` was received, of one generation or of the checkpoints. */
  | { readonly type: 'ack'; readonly id?: string; readonly seq: number }
  | { readonly type: 'stop' };

export interface TrainMessage {
  readonly type: 'train';
  readonly kind: 'decoder' | 'preferences' | 'encoder';
  readonly base: BaseOfMessage;
  /** Folders and files of this machine. */
  readonly output: string;
  readonly startFrom: string | null;
  readonly resumeFrom: string | null;
  readonly train: string;
  readonly validation: string;
  readonly settings: Omit<TrainSettings, 'multiLabel'> &
    Partial<Omit<DecoderSettings, 'beta'>> & {
      /** Only for preferences. */
      readonly beta?: number;
      /** Tokens of one row; the rest is cut off. */
      readonly maxTokens: number;
      /** Only for encoders. */
      readonly multiLabel?: boolean;
    };
}

/** Texts for an encoder. Offsets of answers, and of rows that encoders learn from, are code points. */
export interface InferMessage {
  readonly type: 'infer';
  readonly id: string;
  /** The key of `load`. */
  readonly model: string;
  readonly texts: readonly string[];
  readonly schema: InferSchema;
  readonly threshold: number;
  /** Absent: no training rows are asked for. */
  readonly explain?: ExplainRequest;
}

/** Asks how likely a decoder finds the answer that ends a chat. */
export interface ScoreMessage {
  readonly type: 'score';
  readonly id: string;
  /** The key of `load`. */
  readonly model: string;
  /** In the shape of OpenAI. */
  readonly messages: readonly object[];
  readonly tools?: readonly object[];
}

export interface TorchExportMessage {
  readonly type: 'export';
  readonly format: ExportFormat;
  readonly base: BaseOfMessage;
  readonly adapter: string;
  /** A folder that does not exist yet. */
  readonly output: string;
}

export interface GenerateMessage {
  readonly type: 'generate';
  readonly id: string;
  /** The key of `load`. */
  readonly model: string;
  /** In the shape of OpenAI. */
  readonly messages?: readonly object[];
  readonly prompt?: string;
  readonly maxTokens: number | null;
  readonly temperature: number;
  readonly topP: number;
  /** 0: all. */
  readonly topK: number;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  readonly stop: readonly string[];
  readonly seed: number | null;
  readonly logprobs: boolean;
  readonly topLogprobs: number;
  readonly tools: readonly object[];
  readonly toolChoice: GenerationToolChoice;
  /** true: any object. */
  readonly jsonSchema: JsonObject | true | null;
}

/** The first message of the process. */
export interface Hello {
  readonly type: 'hello';
  readonly protocol: number;
  /** Versions of the packages that decide results, and of Python. */
  readonly versions: Readonly<Record<string, string>>;
  /** `cpu`, or `cuda:0 NAME`. */
  readonly device: string;
  readonly memoryBytes: number;
}

/** From the process, after its hello. */
export type FromEngine =
  | { readonly type: 'heartbeat' }
  | { readonly type: 'log'; readonly level: 'info' | 'warn'; readonly message: string }
  | { readonly type: 'progress'; readonly fraction: number; readonly epoch: number; readonly step: number }
  | ({ readonly type: 'epoch'; readonly epochs: number } & StepFacts & Judged)
  | ({
      readonly type: 'checkpoint';
      readonly seq: number;
      readonly directory: string;
      readonly isBest: boolean;
      readonly isFinal: boolean;
    } & StepFacts &
      Judged)
  | ({
      readonly type: 'trained';
      readonly directory: string;
      readonly epochsRun: number;
      readonly metrics: {
        readonly finalTrainingLoss: number;
        readonly finalValidationLoss: number | null;
        readonly bestValidationLoss: number | null;
        /** Only for preferences with validation rows. */
        readonly rewardAccuracy?: number | null;
        readonly rewardMargin?: number | null;
      };
    } & Judged)
  | { readonly type: 'exported'; readonly directory: string; readonly dtype: string; readonly parameters: number }
  | LoadedMessage
  | { readonly type: 'unloaded'; readonly model: string }
  | TokenMessage
  | DoneMessage
  | InferredMessage
  | ScoredMessage
  | ErrorMessage;

export interface LoadedMessage {
  readonly type: 'loaded';
  readonly model: string;
  readonly byteSize: number;
  /** Present for an encoder. */
  readonly abilities?: ModelAbilities;
}

/** The answers of an encoder, one for each text. */
export interface InferredMessage {
  readonly type: 'inferred';
  readonly id: string;
  readonly results: readonly InferResult[];
  readonly warnings: readonly InferWarning[];
  readonly inputTokens: readonly number[];
}

/** The loss of an answer. */
export interface ScoredMessage {
  readonly type: 'scored';
  readonly id: string;
  /** Summed over the tokens. */
  readonly nats: number;
  /** 0: the chat does not fit into the window, or its template hides the answer. */
  readonly tokens: number;
}

interface Judged {
  /**
   * Only for encoders: a file with a line for each validation row, in order. Null or absent: there are no validation rows, or
   * these weights have no predictions.
   */
  readonly predictions?: string | null;
}

interface StepFacts {
  readonly epoch: number;
  readonly step: number;
  readonly trainingLoss: number;
  readonly validationLoss: number | null;
  readonly learningRate: number;
}

/** The text of one or more tokens. */
export interface TokenMessage {
  readonly type: 'token';
  readonly id: string;
  readonly seq: number;
  readonly text: string;
  readonly logprobs?: readonly TokenLogprob[];
}

/** The end of a generation. */
export interface DoneMessage {
  readonly type: 'done';
  readonly id: string;
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'cancelled';
  readonly stopSequence: string | null;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** The process could not carry out the request. */
export interface ErrorMessage {
  readonly type: 'error';
  /** Id of the generation or inference; null: a load, or the training. */
  readonly id: string | null;
  /** The key of a load that failed. */
  readonly model?: string;
  /** `internal`: an unforeseen failure of this request alone. */
  readonly kind: 'training' | 'artifact' | 'out_of_memory' | 'unsupported' | 'bad_request' | 'cancelled' | 'internal';
  readonly message: string;
  /** The field of a message that is to blame; of an encoder that lacks a head, that head. */
  readonly field?: string | null;
}

const TYPES: Readonly<Record<FromEngine['type'], true>> = {
  heartbeat: true,
  log: true,
  progress: true,
  epoch: true,
  checkpoint: true,
  trained: true,
  exported: true,
  loaded: true,
  unloaded: true,
  token: true,
  done: true,
  inferred: true,
  scored: true,
  error: true,
};

export const isFromEngine = (message: Message): message is FromEngine => Object.hasOwn(TYPES, message.type);
