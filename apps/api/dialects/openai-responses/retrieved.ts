import { InvalidError } from '#domain/errors.js';
import { countsInFields } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { CallRecord } from '#use-cases/inferences/record.js';
import { identified } from './output.js';
import { responseObject, usageOf } from './response.js';
import { inputItem } from './input-item.js';
import type { StoredResponse } from './stored-responses.js';

/** A response, as it was answered. */
export function retrievedResponse({ inferenceId, record, body, answer, output }: StoredResponse): JsonObject {
  const dropped = record.dropped_fields ?? [];
  const asked = { inferenceId, body, dropped, modelId: record.model_id, isStored: true };
  const items = identified(output, inferenceId);
  // Only an imported call may have no latency, and none of those is a response.
  const completed_at = Math.floor((Date.parse(record.created_at) + record.latency_ms!) / 1e3);
  if (answer) return responseObject(asked, { ...answer, completed_at, output: items, usage: recordedUsage(record) });
  return responseObject(asked, {
    status: 'failed',
    error: failure(record),
    output: items,
    usage: recordedUsage(record),
  });
}

const recordedUsage = (record: CallRecord): JsonObject => usageOf(countsInFields(record));

const failure = ({ error_type: type, error_message: message }: CallRecord): JsonObject => ({
  code: type === 'capacity_exhausted' ? 'rate_limit_exceeded' : 'server_error',
  message: message ?? 'the model failed',
});

interface ItemsQuery {
  readonly limit: number;
  readonly order: string;
  readonly after?: string | undefined;
}

/** The input of this turn, item by item, without earlier turns'. @throws InvalidError `after` names no item */
export function inputItems({ inferenceId, body }: StoredResponse, { limit, order, after }: ItemsQuery): JsonObject {
  const { input } = body;
  const given: readonly Json[] = Array.isArray(input) ? input : typeof input === 'string' ? [userMessage(input)] : [];
  const items = given.map((item, index) => inputItem(item as JsonObject, `${inferenceId}_in${index}`));
  if (order === 'desc') items.reverse();
  // If several items share an id, paging resumes after the last, so that it ends.
  const from = after === undefined ? 0 : items.findLastIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0)
    throw new InvalidError({ path: ['query', 'after'], message: 'names no item of this input', type: 'not_allowed' });
  const data = items.slice(from, from + limit);
  return {
    ...{ object: 'list', data },
    ...{ first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null },
    has_more: from + limit < items.length,
  };
}

const userMessage = (text: string): JsonObject => ({ role: 'user', content: text });
