import type { GenerationRequester, GenerationWarning, RowsRequest } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';

/** Makes rows. The built-in one (`built-in/`) needs no model; the other (`decoder/`) asks a language model. */
export interface RowGenerator {
  /**
   * Validates a request before a job is created from it.
   * @throws InvalidError naming every unsupported field
   * @throws NotFoundError, ConflictError for the model that it names
   */
  check(request: RowsRequest, on: GenerationContext): Promise<void>;
  /**
   * Rows in the shape of an upload of this type, in batches, endless or until it has no more. Repetitions and invalid
   * rows may be among them: see `collectRows`. The built-in generator gives the same rows for the same request.
   * @throws GenerationError when there can be none
   */
  rows(request: RowsRequest, on: GenerationContext): AsyncIterable<RowBatch>;
}

export interface GenerationContext {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly requestedBy: GenerationRequester;
  readonly projectId: string | null;
  readonly signal?: AbortSignal;
}

export interface RowBatch {
  readonly rows: readonly JsonObject[];
  readonly warnings?: readonly GenerationWarning[];
}

/** No rows can be made. Clients see the message. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
}
