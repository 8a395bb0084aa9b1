import type { JsonObject } from '#domain/json.js';
import { answered, messageOf, tokensIn } from './bodies.js';
import { asObject, Fields, required } from './fields.js';
import type { Format } from './format.js';

/**
 * Stored completions and responses of OpenAI. `GET /v1/chat/completions` has the answers, and the messages of each are at
 * `/v1/chat/completions/{id}/messages`: a row has them under `messages`; the `input` of a stored response is at
 * `/v1/responses/{id}/input_items`: a row has it under `input`.
 */
export const openai: Format = {
  is: (row) => row['object'] === 'chat.completion' || row['object'] === 'response',
  read(row) {
    const fields = new Fields(row);
    const id = fields.text('id');
    const created_at = required(fields.time('created', 'created_at'), 'created');
    const metadata = fields.object('metadata');
    const user = fields.text('input_user', 'user', 'safety_identifier');
    const isResponse = row['object'] === 'response';
    const [messages, input, instructions] = [
      fields.json('messages'),
      fields.json('input'),
      fields.json('instructions'),
    ];
    const question = isResponse ? { input: listed(input) } : { messages: required(listed(messages), 'messages') };
    const asked = { ...question, ...(instructions !== null && { instructions }) };
    const [tools, error] = [fields.json('tools'), fields.json('error')];
    // A completion has it under `response_format`, a response under `text`.
    const [format, text] = [fields.json('response_format'), isResponse ? fields.json('text') : null];
    const { output, rest } = answered({ ...(isResponse && { output: [] }), ...fields.rest() });
    const { usage, model, object: _, status, finish_reason, ...origin } = rest;
    const isFailed = status === 'failed' || status === 'cancelled';
    const line = {
      id,
      model_id: required(typeof model === 'string' ? model : null, 'model'),
      ...{ created_at, input: { ...asked, ...said({ tools, response_format: format, text }) } },
      output: isFailed ? null : output,
      ...{ task: 'generate', format: 'openai', status: isFailed ? 'failed' : 'success' },
      error_type: isFailed ? (status === 'cancelled' ? 'cancelled' : 'internal') : null,
      error_message: isFailed ? (error === null ? String(status) : messageOf(error)).slice(0, 10_000) : null,
      ...tokensIn(usage),
      ...{ user, metadata },
    };
    return { line, origin: said({ ...origin, usage: usage ?? null, finish_reason: finish_reason ?? null }) };
  },
};

/** The fields that are not null. */
const said = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** The list itself, or that in an answer of the API. */
const listed = (value: ReturnType<Fields['json']>) => asObject(value)?.['data'] ?? value;
