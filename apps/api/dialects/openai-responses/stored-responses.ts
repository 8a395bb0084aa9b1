import { Injectable } from '@nestjs/common';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { GetWholeInference } from '#use-cases/inferences/queries/inferences.js';
import type { CallRecord } from '#use-cases/inferences/record.js';
import { UseCases } from '#use-cases/use-cases.js';
import { isRecord } from '#primitives/values.js';
import { isCompaction } from './compaction.js';
import { COMPLETED, message, outputText, type Ended } from './output.js';

/** A response as the history has it. */
export interface StoredResponse {
  readonly inferenceId: string;
  /** The record of the call, as `GET /inferences/:id` shows it. */
  readonly record: CallRecord;
  /** Fields of the request's body. */
  readonly body: JsonObject;
  /** null: it failed. */
  readonly answer: Ended | null;
  /** Items without ids; for a failed response, those produced before. */
  readonly output: readonly JsonObject[];
}

const RESPONSE_ID = /^resp_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Finds responses again: they are in the history of calls. */
@Injectable()
export class StoredResponses {
  constructor(private readonly useCases: UseCases) {}

  /**
   * Finds a response, also one that another process has just answered.
   * @param id `resp_...`
   * @throws NotFoundError unknown, of another workspace, not stored, deleted, or another kind of call
   */
  async find(caller: Caller, id: string): Promise<StoredResponse> {
    const inferenceId = RESPONSE_ID.exec(id)?.[1];
    if (inferenceId === undefined) throw new NotFoundError('response', id);
    const record = await this.useCases.execute(new GetWholeInference(caller, inferenceId)).catch((error: unknown) => {
      throw error instanceof NotFoundError ? new NotFoundError('response', id) : error;
    });
    const stored = storedResponse(inferenceId, record);
    if (!stored) throw new NotFoundError('response', id);
    return stored;
  }
}

/** null for a record of another route, or without content. */
function storedResponse(inferenceId: string, record: CallRecord): StoredResponse | null {
  const { input: body, output, task, format, status, source } = record;
  if (source === 'imported' || format !== 'openai' || task === 'embed' || !isRecord(body)) return null;
  if (!('input' in body) && !('previous_response_id' in body)) return null;
  // Calls of the other routes of this style, which may have unknown fields of these names.
  if (Array.isArray(body['messages']) || Array.isArray(body['prompt']) || typeof body['prompt'] === 'string')
    return null;
  if (isCompaction(output)) return null;
  const common = { inferenceId, record, body: body };
  if (!isRecord(output)) return { ...common, answer: null, output: [] };
  if (task !== 'generate') {
    // The history has an encoder's result itself.
    const said = message([outputText(JSON.stringify(output), [])], 'completed');
    return { ...common, answer: COMPLETED, output: [said] };
  }
  const { status: ended, incomplete_details, output: items } = output;
  return {
    ...common,
    answer: status === 'success' ? ({ status: ended, incomplete_details } as unknown as Ended) : null,
    output: items as JsonObject[],
  };
}
