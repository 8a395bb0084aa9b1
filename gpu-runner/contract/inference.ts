import { createHash } from 'node:crypto';
import type { ServedBy } from '#domain/inference/index.js';
import type { StoredFolder } from '#domain/training-job/index.js';
import type { ExplainRequest, InferResult, InferSchema, InferWarning } from './schema.js';

/** Bus subject of inference calls that any runner may answer. */
export const INFERENCE_SUBJECT = 'inference.run';

/** Bus subject of the inference calls that are meant for one runner. Its name may hold characters that no subject has. */
export const inferenceSubjectOf = (runnerName: string): string =>
  `inference.runner.${createHash('sha256').update(runnerName).digest('hex').slice(0, 16)}`;

/** Code points of one text that a model is given; it reads 50,000 tokens of them. */
export const MAX_TEXT_CHARACTERS = 1_000_000;

/** The subject of serving runners' heartbeats: one per `INFERENCE_HEARTBEAT_MS`, and one on leaving. */
export const INFERENCE_HEARTBEAT = 'inference.heartbeat';
export const INFERENCE_HEARTBEAT_MS = 1_000;

export type InferenceHeartbeat = {
  /** The runner's name, the same at each start. */
  readonly name: string;
  /** Whether the runner accepts no further calls. */
  readonly leaving: boolean;
  /** Ids of the adapters that it is loading now. */
  readonly loading?: readonly string[];
  /** Ids of those that it has loaded, the most recent ones. */
  readonly loaded?: readonly string[];
  /** Ids of those whose weights are missing, damaged or of a version that it cannot load; not among `loaded`. */
  readonly failed?: readonly string[];
  /** Ids of the base models that it generates text with. */
  readonly generates?: readonly string[];
  readonly figures: ServingFigures;
};

/** The load of a runner at the moment, and its tokens since it started. */
export type ServingFigures = {
  /** Trained models by state: `on_disk`, `loading`, `failed`; and base or trained models `in_process` of an engine. */
  readonly models: Readonly<Record<'on_disk' | 'loading' | 'failed' | 'in_process', number>>;
  /** Bytes of trained models on local disk. */
  readonly cachedBytes: number;
  /** Calls that were accepted and are not answered, by `encoder`, `embedder` and `decoder`. */
  readonly calls: Readonly<Record<'encoder' | 'embedder' | 'decoder', number>>;
  /** Characters of encoders' and embedders' calls that wait for a thread or process. */
  readonly waitingCharacters: number;
  /** Generations that wait for their turn. */
  readonly waitingGenerations: number;
  /** Since the start. */
  readonly tokens: Readonly<Record<'input' | 'output', number>>;
};

/** Signalled when a trained model was deleted: every holder of its weights or metadata drops them. */
export const INFERENCE_FORGET = 'inference.forget';
export type ForgetModel = {
  /** The training job's id. */
  readonly id: string;
};

/** The model of a call: a base model, or a training job's adapter on one. */
export interface ModelReference {
  readonly baseModelId: string;
  readonly adapter: AdapterReference | null;
}

export interface AdapterReference {
  /** The training job's id. */
  readonly id: string;
  /** Location and hashes of its files. */
  readonly folder: StoredFolder;
}

export interface InferenceCall {
  /** The caller's workspace; workspaces take turns. */
  readonly workspaceId: string;
  readonly model: ModelReference;
  readonly texts: readonly string[];
  /** null: the trained model's own labels apply. */
  readonly schema: InferSchema | null;
  /** 0 to 1. null: each head's own. */
  readonly threshold: number | null;
  /** Present if the nearest training rows are requested. */
  readonly explain?: ExplainRequest;
  /** Whether the certainty and the likeness of each result are requested, which takes twice the time. */
  readonly certainty?: boolean;
}

/** A result and a token count per text, in order. */
export interface InferenceAnswer {
  readonly results: readonly InferResult[];
  readonly warnings: readonly InferWarning[];
  readonly inputTokens: readonly number[];
  /** The schema that applied: the caller's, or the model's own. */
  readonly schema: InferSchema;
  /** Absent if no engine of the runner has the model any more, as in other answers. */
  readonly servedBy?: ServedBy;
}

/** The reply of a runner: an answer or, if the adapter will not be loaded soon, when to ask again. */
export type InferenceReply = InferenceAnswer | { readonly retryAfterMs: number } | QueueFull;

/** The workspace's queue is full; the call was not accepted. */
export interface QueueFull {
  /** Characters that wait; generations that run or wait. */
  readonly waiting: number;
  readonly mostWaiting: number;
}

/** Bus subject of calls of an embedder. */
export const EMBED_SUBJECT = 'inference.embed';

export interface EmbedCall {
  /** The caller's workspace; workspaces take turns. */
  readonly workspaceId: string;
  /** An embedder's catalog id. */
  readonly modelId: string;
  readonly texts: readonly string[];
  readonly dimensions: number;
}

export interface EmbedAnswer {
  /** A vector for each text, in their order: `dimensions` 32-bit floats, little-endian, in base64. */
  readonly vectors: readonly string[];
  readonly inputTokens: readonly number[];
  readonly servedBy?: ServedBy;
}

/** Replies with an answer, or with the index of a text that is too long for the embedder. */
export type EmbedReply = EmbedAnswer | { readonly tooLong: number } | QueueFull;
