import { withoutPaths } from '#primitives/text/without-paths.js';
import {
  EngineUnavailableError,
  OutOfMemoryError,
  RefusedGenerationError,
  UnsupportedExportError,
  type GenerateRequest,
} from '../decoder-engine.js';
import { RefusedSchemaError } from '../encoder-engine.js';
import { ArtifactError, TrainingError, UnsupportedHeadError, type InferHead } from '../engine.js';
import type { ErrorMessage } from './messages.js';
import type { EngineDiedError } from './process.js';

/** The error that reports a failed training. */
export function trainingFault({ kind, message }: ErrorMessage): Error {
  if (kind === 'artifact') return new ArtifactError(message);
  return kind === 'out_of_memory' ? outOfMemory() : new TrainingError(message);
}

/** The error that reports a failed export. */
export function exportFault(error: ErrorMessage): Error {
  return error.kind === 'unsupported' ? new UnsupportedExportError(error.message) : loadFault(error);
}

/** The error that reports a failed load. */
export function loadFault({ kind, message }: ErrorMessage): Error {
  if (kind === 'internal') return new EngineUnavailableError(message);
  return kind === 'out_of_memory' ? outOfMemory() : new ArtifactError(message);
}

/** The error that reports a failed generation. */
export function generationFault({ kind, message, field }: ErrorMessage): Error {
  if (kind === 'out_of_memory') return outOfMemory();
  if (kind !== 'bad_request' && kind !== 'unsupported') return new EngineUnavailableError(message);
  return new RefusedGenerationError(FIELDS[field ?? ''] ?? 'input', message);
}

/** The error that reports a failed inference. */
export function inferenceFault({ kind, message, field }: ErrorMessage): Error {
  if (kind === 'out_of_memory') return outOfMemory();
  if (kind === 'unsupported' && isHead(field)) return new UnsupportedHeadError(field, message);
  return kind === 'unsupported' || kind === 'bad_request'
    ? new RefusedSchemaError(message)
    : new EngineUnavailableError(message);
}

const HEADS: readonly InferHead[] = ['entities', 'classifications', 'structures', 'relations'];
const isHead = (field: string | null | undefined): field is InferHead => HEADS.includes(field as InferHead);

/** The fields of a request by those of the message. */
const FIELDS: Readonly<Record<string, keyof GenerateRequest>> = {
  maxTokens: 'maxTokens',
  temperature: 'temperature',
  topP: 'topP',
  topK: 'topK',
  stop: 'stop',
  seed: 'seed',
  frequencyPenalty: 'frequencyPenalty',
  presencePenalty: 'presencePenalty',
  logprobs: 'logprobs',
  topLogprobs: 'logprobs',
  tools: 'tools',
  toolChoice: 'toolChoice',
  jsonSchema: 'format',
};

const outOfMemory = (): Error => new OutOfMemoryError('The device of the engine has no memory left');

/** The process of one training has died: another may succeed. Its last output belongs to the same training. */
export const processLost = (error: EngineDiedError | null): Error =>
  new EngineUnavailableError(
    `The process of the torch engine was lost: ${withoutPaths(error?.message ?? 'it was stopped')}`,
  );

/** The process that serves all workspaces has died. The reason and its last output are for the operator's log only. */
export const servingLost = (engine: string): Error =>
  new EngineUnavailableError(`The process of the ${engine} engine was lost`);
