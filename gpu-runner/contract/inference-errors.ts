import { RemoteError } from '#ports/bus/port.js';
import type { InferHead } from './schema.js';

/** Errors that a runner answers a call with, beside those of the bus: the fields of each, by code. Messages are for people. */
export interface InferenceErrors {
  /** The model lacks a head that the schema asks for. Runners of earlier releases name none. */
  readonly unsupported_head: { readonly head?: InferHead };
  /** The request has no schema, and the model has no labels of its own. */
  readonly schema_required: NoFields;
  /** The runner lacks the model; or its files are missing, damaged, or made by another engine version. */
  readonly not_servable: NoFields;
  /** The model's files cannot be fetched or kept now: their store does not answer, or the runner's disk takes nothing. */
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
