import { RemoteError } from '#ports/bus/port.js';
import type { GenerateRequest } from './generation.js';
import type { InferHead } from './schema.js';

/** Errors that a runner answers a call with, beside those of the bus: the fields of each, by code. Messages are for people. */
export interface InferenceErrors {
  /** The model lacks a requested head. */
  readonly unsupported_head: { readonly head: InferHead };
  /** The request has no schema, and the model has no labels of its own. */
  readonly schema_required: NoFields;
  /** The model cannot answer by such a schema; the message gives the part and the reason. */
  readonly refused_schema: NoFields;
  /** The model cannot run such a generation; the message gives the reason for this field of the request. */
  readonly refused_generation: { readonly field: keyof GenerateRequest };
  /** The runner lacks the model; or its files are missing, damaged, or made by another engine version. */
  readonly not_servable: NoFields;
  /**
   * The model's files cannot be fetched or kept now, because their store is away or the runner's disk is full. Or the engine's
   * process was lost.
   */
  readonly unavailable: NoFields;
}

type NoFields = Readonly<Record<string, never>>;

/** An error as it arrives over the bus, identified by `code`. */
type InferenceError = {
  readonly [Code in keyof InferenceErrors]: RemoteError & {
    readonly code: Code;
    readonly details: InferenceErrors[Code];
  };
}[keyof InferenceErrors];

const CODES: ReadonlySet<string> = new Set<keyof InferenceErrors>([
  'unsupported_head',
  'schema_required',
  'refused_schema',
  'refused_generation',
  'not_servable',
  'unavailable',
]);

export const isInferenceCode = (code: unknown): code is keyof InferenceErrors => CODES.has(code as string);

export const isInferenceError = (error: unknown): error is InferenceError =>
  error instanceof RemoteError && isInferenceCode(error.code);

export const inferenceError = <Code extends keyof InferenceErrors>(
  code: Code,
  details: InferenceErrors[Code],
  message: string,
): RemoteError => new RemoteError(code, message, details);
