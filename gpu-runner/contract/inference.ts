import { createHash } from 'node:crypto';
import type { StoredFolder } from '#domain/training-job/index.js';
import type { InferResult, InferSchema, InferWarning } from './schema.js';

/** Bus subject of inference calls that any runner may answer. */
export const INFERENCE_SUBJECT = 'inference.run';

/** Bus subject of the inference calls that are meant for one runner. Its name may hold characters that no subject has. */
export const inferenceSubjectOf = (runnerName: string): string =>
  `inference.runner.${createHash('sha256').update(runnerName).digest('hex').slice(0, 16)}`;

/** Code points of one text that a model is given; it reads 50,000 tokens of them. */
export const MAX_TEXT_CHARACTERS = 1_000_000;

/** Where runners that serve say so, each once in `INFERENCE_HEARTBEAT_MS`, and once more when they leave. */
export const INFERENCE_HEARTBEAT = 'inference.heartbeat';
export const INFERENCE_HEARTBEAT_MS = 1_000;

export type InferenceHeartbeat = {
  /** The runner's name, the same at each start. */
  readonly name: string;
  /** It takes no further calls. */
  readonly leaving: boolean;
  /** Ids of the adapters that it is loading now. */
  readonly loading?: readonly string[];
  /** Ids of those that it has loaded, the most recent ones. */
  readonly loaded?: readonly string[];
};

/** Said when a trained model was deleted: whoever keeps its weights, or what it knows of it, lets go of them. */
export const INFERENCE_FORGET = 'inference.forget';
export type ForgetModel = {
  /** The training job's id. */
  readonly id: string;
};

/** Which model a call runs on: a base model alone, or a training job's adapter on it. */
export interface ModelReference {
  readonly baseModelId: string;
  readonly adapter: AdapterReference | null;
}

export interface AdapterReference {
  /** The training job's id. */
  readonly id: string;
  /** Where its files lie, with their hashes. */
  readonly folder: StoredFolder;
}

export interface InferenceCall {
  /** Whose it is: workspaces take turns. */
  readonly workspaceId: string;
  readonly model: ModelReference;
  readonly texts: readonly string[];
  /** null: the trained model's own labels apply. */
  readonly schema: InferSchema | null;
  /** 0 to 1. */
  readonly threshold: number;
}

/** One result, one token count for each text, in order. */
export interface InferenceAnswer {
  readonly results: readonly InferResult[];
  readonly warnings: readonly InferWarning[];
  readonly inputTokens: readonly number[];
  /** The schema that applied: the caller's, or the model's own. */
  readonly schema: InferSchema;
}

/** What a runner answers: its answer; or, where the adapter is not loaded and will not be soon, when to ask again. */
export type InferenceReply = InferenceAnswer | { readonly retryAfterMs: number } | QueueFull;

/** So much of the workspace's waits here already that nothing more is taken. */
export interface QueueFull {
  /** In characters. */
  readonly waiting: number;
  readonly mostWaiting: number;
}

/** Bus subject of calls of an embedder. */
export const EMBED_SUBJECT = 'inference.embed';

export interface EmbedCall {
  /** Whose it is: workspaces take turns. */
  readonly workspaceId: string;
  /** An embedder's catalog id. */
  readonly modelId: string;
  readonly texts: readonly string[];
  readonly dimensions: number;
}

export interface EmbedAnswer {
  /** A vector for each text, in their order: so many 32-bit floats, little-endian, in base64. */
  readonly vectors: readonly string[];
  readonly inputTokens: readonly number[];
}

/** Or which text, by its place, is longer than the embedder reads. */
export type EmbedReply = EmbedAnswer | { readonly tooLong: number } | QueueFull;
