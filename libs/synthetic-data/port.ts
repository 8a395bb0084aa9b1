import type { GenerationRequester, GenerationWarning, RowsRequest } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';

/** Makes rows. The built-in one (`built-in/`) needs no model; the other (`decoder/`) asks a language model. */
export interface RowGenerator {
  /**
   * Looks at a request before a job is made of it.
   * @throws InvalidError naming every field that it cannot do justice to
   * @throws NotFoundError, ConflictError as the model that it names
   */
  check(request: RowsRequest, on: GenerationContext): Promise<void>;
  /**
   * Rows in the shape that an upload of this type has, in batches, without an end or until it can make no more. Repetitions and
   * rows that are not valid may be among them: see `collectRows`. The same request gives the built-in generator's same rows.
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
