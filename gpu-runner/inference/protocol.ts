import type { StoredFolder } from '#domain/training-job/index.js';
import type { InferResult, InferSchema, InferWarning } from '../engine/engine.js';

/** Bus subject of inference calls. */
export const INFERENCE_SUBJECT = 'inference.run';

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

/** Codes of the errors that a call can end in, beside those of the bus. */
export const INFERENCE_ERRORS = {
  /** The model lacks a head that the schema asks for; the message names it. */
  unsupportedHead: 'unsupported_head',
  /** The adapter's files are missing, damaged, or made by another engine version. */
  notServable: 'not_servable',
  /** No schema was given and the model has no labels of its own. */
  schemaRequired: 'schema_required',
} as const;
