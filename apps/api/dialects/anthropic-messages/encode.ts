import type { Produced } from '#calls/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { FinishReason, TokenUsage } from '#calls/hosted/port.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';
import { contentBlock } from './encode-blocks.js';

/** A whole message (https://platform.claude.com/docs/en/api/messages). */
export function messageOf(answer: BegunAnswer): JsonObject {
  const { produced, usage } = answer.run;
  return {
    ...emptyMessage(answer),
    ...ownFields(produced),
    content: contentOf(produced),
    ...endOf(produced),
    usage: usageOf(usage, produced),
  };
}

/** The output shown in the history. */
export const recordedMessage = (produced: Produced): Json => ({ role: 'assistant', content: contentOf(produced) });

/** A message before its first content. */
export const emptyMessage = ({ run, inferenceId, modelId, notes }: BegunAnswer) => ({
  id: `msg_${run.inferenceId}`,
  type: 'message',
  role: 'assistant',
  model: modelId,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  container: null,
  diagnostics: null,
  pioneer_inference_id: inferenceId,
  ...(notes['warnings'] !== undefined && { pioneer_warnings: notes['warnings'] }),
  ...(notes['truncated'] !== undefined && { pioneer_truncated: notes['truncated'] }),
});

const contentOf = ({ choices: [choice] }: Produced): Json[] => choice!.parts.flatMap(contentBlock);

/** The provider's own fields of the message, if it is of this style. It may be another installation of Anneal. */
function ownFields({ details: { anthropic = {} } }: Produced): JsonObject {
  const { usage: _, stop_reason: __, pioneer_inference_id: ___, ...fields } = anthropic;
  return fields;
}

interface MessageEnd extends JsonObject {
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly stop_details: Json;
}

/** The end of a message, in the provider's own words if it has this style. */
export function endOf({ choices: [choice], details: { anthropic = {} } }: Produced): MessageEnd {
  const { finish, stopSequence, parts } = choice!;
  const said = anthropic['stop_reason'];
  const refusal = parts.find(({ type }) => type === 'refusal');
  return {
    stop_reason: typeof said === 'string' ? said : stopReason(finish),
    stop_sequence: stopSequence,
    stop_details:
      anthropic['stop_details'] ??
      (refusal?.type === 'refusal' ? { type: 'refusal', category: null, explanation: refusal.text } : null),
  };
}

function stopReason(finish: FinishReason | null): string | null {
  switch (finish) {
    case 'stop':
      return 'end_turn';
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    case 'pause':
      return 'pause_turn';
    default:
      return finish;
  }
}

/** Usage, including a same-style provider's other counts. */
export function usageOf(usage: TokenUsage, { details: { anthropic = {} } }: Produced): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, thinkingTokens } = usage;
  return {
    ...NOT_COUNTED,
    ...(thinkingTokens !== undefined && { output_tokens_details: { thinking_tokens: thinkingTokens } }),
    ...(anthropic['usage'] as JsonObject | undefined),
    input_tokens: inputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
  };
}

/** Usage in the last event of a stream, which may differ from the first. */
export function lastUsageOf(usage: TokenUsage, produced: Produced): JsonObject {
  const { cache_creation: _, inference_geo: __, service_tier: ___, speed: ____, ...last } = usageOf(usage, produced);
  return last;
}

const NOT_COUNTED = {
  cache_creation: null,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
};
