import { answered, asked, errorTypeOf, messageOf } from './bodies.js';
import { asObject, between, Fields, required } from './fields.js';
import type { Format } from './format.js';

const KEPT = 'the proxy stores contents while its setting store_prompts_in_spend_logs is true';

/** Spend logs of LiteLLM's proxy: `GET /spend/logs`, or the table `LiteLLM_SpendLogs`. */
export const litellm: Format = {
  is: (row) => 'request_id' in row && 'call_type' in row && ('startTime' in row || 'spend' in row),
  read(row) {
    const fields = new Fields(row);
    const created = required(fields.time('startTime'), 'startTime');
    const ended = fields.time('endTime');
    // The request as the proxy received it, which may come with its headers, and their keys.
    const { body, headers: _, ...sent } = fields.object('proxy_server_request') ?? {};
    const request = asObject(body) ?? (Object.keys(sent).length > 0 ? sent : null);
    const messages = fields.json('messages');
    const input = request ?? (Array.isArray(messages) ? { messages } : asked(messages));
    const response = answered(fields.json('response'));
    const { error_information: failure } = asObject(row['metadata']) ?? {};
    const error = asObject(failure);
    const isFailed = row['status'] === 'failure' || response.error !== null;
    const output = isFailed ? null : required(response.output, 'response', KEPT);
    const line = {
      id: fields.text('request_id'),
      model_id: required(fields.text('model_group') ?? fields.text('model'), 'model'),
      base_model: fields.text('model'),
      created_at: created,
      input: required(input, 'messages', KEPT),
      ...{ output, format: response.format },
      task: JSON.stringify(row['call_type'] ?? '').includes('embedding') ? 'embed' : response.task,
      status: isFailed ? 'failed' : 'success',
      error_type: isFailed ? errorTypeOf(Number(error?.['error_code'] ?? NaN)) : null,
      error_message: isFailed
        ? (response.error ?? messageOf(error?.['error_message'] ?? error ?? 'failure')).slice(0, 10_000)
        : null,
      latency_ms: between(created, ended) ?? fields.amount('request_duration_ms'),
      ttft_ms: between(created, fields.time('completionStartTime')),
      input_tokens: fields.count('prompt_tokens'),
      output_tokens: fields.count('completion_tokens'),
      cost: fields.amount('spend'),
      user: fields.text('end_user', 'user'),
    };
    return {
      line,
      origin: { ...fields.rest(), ...(Object.keys(response.rest).length > 0 && { response: response.rest }) },
    };
  },
};
