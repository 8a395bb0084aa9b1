import { allTokens } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { TokenUsage } from '#calls/hosted/port.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';
import { isRecord } from '#primitives/values.js';
import type { ResponsesRequest } from './request.js';
import { endOf, identified, outputItems, type Ended } from './output.js';

/** The state of a response at some moment. */
export type ResponseState = Omit<Partial<Ended>, 'status'> & {
  readonly status: Ended['status'] | 'in_progress' | 'failed';
  readonly completed_at?: number | null;
  readonly error?: JsonObject | null;
  readonly output: readonly JsonObject[];
  /** Default: null, because it is not known yet. */
  readonly usage?: JsonObject;
};

interface Asked {
  readonly inferenceId: string;
  readonly modelId: string;
  /** Whether it can be retrieved by its id. */
  readonly isStored: boolean;
  /** Warnings and truncation of an encoder's answer. */
  readonly notes?: JsonObject;
  /** The body, or its recorded part. */
  readonly body: JsonObject;
  /** Hints of the body that the model was not given. */
  readonly dropped: readonly string[];
}

/** A response (https://platform.openai.com/docs/api-reference/responses/object). */
export const responseObject = (asked: Asked, progress: ResponseState): JsonObject => ({
  ...head(asked),
  ...DEFAULTS,
  ...(progress as JsonObject),
  ...echo(asked),
});

const DEFAULTS = { completed_at: null, error: null, incomplete_details: null, usage: null };

const head = ({ inferenceId, modelId, isStored, notes }: Asked): JsonObject => ({
  id: `resp_${inferenceId}`,
  object: 'response',
  created_at: createdAt(inferenceId),
  model: modelId,
  store: isStored,
  background: false,
  x_pioneer: { inference_id: isStored ? inferenceId : null, ...notes },
});

/** The request's own fields, or their defaults, which conformance suites require. */
function echo({ body, dropped }: Asked): JsonObject {
  const { tools } = body;
  return {
    access_programs: null,
    frequency_penalty: body['frequency_penalty'] ?? 0,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    metadata: body['metadata'] ?? {},
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    presence_penalty: body['presence_penalty'] ?? 0,
    previous_response_id: body['previous_response_id'] ?? null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    reasoning: { effort: null, summary: null, ...objectOf(body['reasoning']) },
    safety_identifier: body['safety_identifier'] ?? null,
    service_tier: tierOf(body['service_tier'], dropped),
    temperature: body['temperature'] ?? 1,
    text: textOf(objectOf(body['text'])),
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: (Array.isArray(tools) ? tools : []).map(toolOf),
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? 1,
    truncation: 'disabled',
    ...(typeof body['user'] === 'string' && { user: body['user'] }),
  };
}

/** The tier of the answer: `auto` is the usual one, and so is a tier that the provider has no field for. */
const tierOf = (tier: Json | undefined, dropped: readonly string[]): Json =>
  typeof tier !== 'string' || tier === 'auto' || dropped.includes('service_tier') ? 'default' : tier;

function toolOf(tool: Json): JsonObject {
  const given = objectOf(tool);
  return given['type'] === 'function' ? { ...UNSAID, ...given } : given;
}

/** Defaults of a function. */
const UNSAID = { description: null, parameters: null, strict: null };

const textOf = (text: JsonObject): JsonObject => ({ ...text, format: formatOf(objectOf(text['format'])) });

function formatOf(format: JsonObject): JsonObject {
  if (format['type'] !== 'json_schema') return { type: 'text', ...format };
  return { ...format, description: format['description'] ?? null, strict: format['strict'] ?? false };
}

const objectOf = (value: unknown): JsonObject => (isRecord(value) ? (value as JsonObject) : {});

/** Creation time in seconds: a UUIDv7 starts with its time (RFC 9562). */
export const createdAt = (inferenceId: string): number =>
  Math.floor(Number.parseInt(inferenceId.replace('-', '').slice(0, 12), 16) / 1_000);

export const askedOf = ({ run, inferenceId, modelId, notes }: BegunAnswer, body: JsonObject): Asked => ({
  ...{ inferenceId: run.inferenceId, modelId, body, notes, dropped: run.dropped },
  isStored: inferenceId !== null,
});

/** The whole answer of a run that has ended. */
export function wholeResponse(started: BegunAnswer, { body, called }: ResponsesRequest): JsonObject {
  const { run } = started;
  const choice = run.produced.choices[0]!;
  return responseObject(askedOf(started, body), {
    ...endOf(choice),
    completed_at: Math.floor(Date.now() / 1_000),
    output: identified(outputItems(choice, called), run.inferenceId),
    usage: usageOf(run.usage),
  });
}

export function usageOf(usage: TokenUsage): JsonObject {
  const { cacheReadTokens, cacheWriteTokens, thinkingTokens = 0 } = usage;
  return {
    input_tokens: allTokens(usage, 'input'),
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: allTokens(usage, 'output'),
    output_tokens_details: { reasoning_tokens: thinkingTokens },
    total_tokens: allTokens(usage),
  };
}
