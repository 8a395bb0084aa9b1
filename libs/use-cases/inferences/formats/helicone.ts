import { answered, errorTypeOf, messageOf, tokensIn } from './bodies.js';
import { asList, asObject, Fields, required } from './fields.js';
import type { JsonObject } from '#domain/json.js';
import { isPresent } from '#primitives/values.js';
import type { Format } from './format.js';
import { feedbackOn, isRightBy } from './verdicts.js';

/** A status below 0 stands for a request that Helicone ended itself. */
const CANCELLED = -3;

/** Requests of Helicone, as `POST /v1/request/query-clickhouse` and the tool `@helicone/export` have them. */
export const helicone: Format = {
  is: (row) => 'request_created_at' in row && ('response_status' in row || 'response_id' in row),
  read(row) {
    const fields = new Fields(row);
    // They are secrets for as long as they are valid.
    fields.drop('signed_body_url');
    const body = fields.json('request_body');
    const request = asObject(body);
    const status = typeof row['response_status'] === 'string' ? Number(row['response_status']) : row['response_status'];
    const code = typeof status === 'number' ? status : null;
    const response = answered(fields.json('response_body'));
    const isFailed = response.error !== null || (code !== null && (code < 0 || code >= 400));
    const scores = asObject(row['scores']) ?? {};
    const model = fields.text('response_model', 'request_model', 'model', 'model_override') ?? request?.['model'];
    const output = isFailed ? null : required(response.output, 'response_body', 'export it with --include-body');
    const line = {
      id: fields.text('request_id', 'response_id'),
      model_id: required(typeof model === 'string' ? model : null, 'request_model'),
      created_at: required(fields.time('request_created_at'), 'request_created_at'),
      input: asList(body) ? { messages: body } : body,
      ...{ output, task: response.task, format: response.format },
      status: isFailed ? 'failed' : 'success',
      error_type: isFailed ? (code === CANCELLED ? 'cancelled' : errorTypeOf(code)) : null,
      error_message: isFailed
        ? (response.error ?? messageOf(response.output ?? `status ${code}`)).slice(0, 10_000)
        : null,
      latency_ms: fields.amount('delay_ms', 'latency'),
      ttft_ms: fields.amount('time_to_first_token'),
      ...(COUNTS.some((name) => isPresent(row[name])) ? tokensOf(fields) : tokensIn(response.rest['usage'])),
      cost: fields.amount('costUSD', 'cost_usd', 'cost'),
      user: fields.text('request_user_id', 'helicone_user'),
      metadata: fields.object('request_properties', 'properties'),
      ...feedbackOn(output, {
        isRight: isRightBy(row['feedback_rating']) ?? isRightBy(scores['helicone-score-feedback']),
        at: fields.time('feedback_created_at'),
      }),
    };
    return { line, origin: { ...fields.rest(), ...rested(response.rest) } };
  },
};

const COUNTS = ['prompt_tokens', 'completion_tokens'];

const tokensOf = (fields: Fields): JsonObject => ({
  input_tokens: fields.count('prompt_tokens'),
  output_tokens: fields.count('completion_tokens'),
  cache_read_tokens: fields.count('prompt_cache_read_tokens'),
  cache_write_tokens: fields.count('prompt_cache_write_tokens'),
});

const rested = (response: object) => (Object.keys(response).length > 0 ? { response: response as never } : {});
