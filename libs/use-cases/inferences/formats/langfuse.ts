import { InvalidError } from '#domain/errors.js';
import type { Json, JsonObject } from '#domain/json.js';
import { answered, asked } from './bodies.js';
import { asList, asObject, between, Fields, parsed, required } from './fields.js';
import type { Format } from './format.js';
import { feedbackOn, thumbIn } from './verdicts.js';

/** Observations of these types call a model. */
const CALLS = ['GENERATION', 'EMBEDDING'];

/**
 * Observations and traces of Langfuse: exported from its tables (names as `startTime`), to blob storage (`start_time`), or listed by
 * its API. A trace is a call of the application that it names.
 */
export const langfuse: Format = {
  is: (row) =>
    (('traceId' in row || 'trace_id' in row) && ('startTime' in row || 'start_time' in row)) ||
    ('timestamp' in row && 'input' in row && ('bookmarked' in row || 'sessionId' in row || 'session_id' in row)),
  read(row) {
    const fields = new Fields(row);
    const isTrace = !('startTime' in row || 'start_time' in row);
    const type = (typeof row['type'] === 'string' ? row['type'] : 'GENERATION').toUpperCase();
    if (!isTrace && !CALLS.includes(type))
      throw new InvalidError({
        path: ['body', 'type'],
        message: `is ${type.slice(0, 60)}, which calls no model: only generations and embeddings are calls`,
        type: 'not_allowed',
      });
    const created = required(fields.time('startTime', 'start_time', 'timestamp'), 'startTime');
    const ended = fields.time('endTime', 'end_time');
    const begun = fields.time('completionStartTime', 'completion_start_time');
    const response = answered(fields.json('output'));
    const isFailed = row['level'] === 'ERROR' || response.error !== null;
    const status = fields.text('statusMessage', 'status_message');
    const output = isFailed ? null : response.output;
    const usage = fields.object('usageDetails', 'usage_details') ?? asObject(row['usage']) ?? {};
    const scores = scoresOf(row);
    const model =
      fields.text('model', 'providedModelName', 'provided_model_name') ?? (isTrace ? fields.text('name') : null);
    const input = fields.json('input');
    const line = {
      id: fields.text('id'),
      model_id: required(model, isTrace ? 'name' : 'model'),
      created_at: created,
      input: asList(input) ? { messages: input } : asked(input),
      ...{ output, format: response.format, task: type === 'EMBEDDING' ? 'embed' : response.task },
      status: isFailed ? 'failed' : 'success',
      error_message: isFailed ? (status ?? response.error ?? 'ERROR').slice(0, 10_000) : null,
      ...{ latency_ms: between(created, ended), ttft_ms: between(created, begun) },
      input_tokens: countIn(usage, 'input', 'promptTokens'),
      output_tokens: countIn(usage, 'output', 'completionTokens'),
      cache_read_tokens: countIn(usage, 'input_cached_tokens', 'cache_read_input_tokens'),
      cache_write_tokens: countIn(usage, 'input_cache_creation', 'cache_creation_input_tokens'),
      cost: fields.amount('totalCost', 'total_cost', 'calculatedTotalCost'),
      user: fields.text('userId', 'user_id'),
      metadata: fields.object('metadata'),
      ...feedbackOn(output, { isRight: thumbIn(scores.values), corrected: scores.corrected, notes: scores.comment }),
    };
    const said = isFailed || status === null ? {} : { status_message: status };
    const rest = Object.keys(response.rest).length > 0 && { response: response.rest };
    return { line, origin: { ...fields.rest(), ...said, usage, ...rest } };
  },
};

const countIn = (usage: JsonObject, ...names: readonly string[]): number | null => new Fields(usage).count(...names);

interface Scores {
  readonly values: JsonObject;
  readonly corrected: Json;
  readonly comment: string | null;
}

/**
 * Scores by name. The API lists them with their source, of which an evaluator is no person, and a corrected output among them; in tables each is a column of its own, or all are an
 * object in one.
 */
function scoresOf(row: JsonObject): Scores {
  const scores = parsed(row['scores'] ?? null);
  const list = (asList(scores) ?? []).map((each) => asObject(each) ?? {});
  const correction = list.find(({ dataType }) => dataType === 'CORRECTION');
  const named = list
    .filter(({ source }) => source !== 'EVAL')
    .map(
      ({ name, value, stringValue }) => [typeof name === 'string' ? name : '', value ?? stringValue ?? null] as const,
    );
  const comment = list.map((score) => score['comment']).find((said) => typeof said === 'string' && said !== '');
  return {
    values: { ...row, ...asObject(scores), ...Object.fromEntries(named) },
    corrected: parsed(correction?.['longStringValue'] ?? correction?.['stringValue'] ?? correction?.['value'] ?? null),
    comment: typeof comment === 'string' ? comment : null,
  };
}
