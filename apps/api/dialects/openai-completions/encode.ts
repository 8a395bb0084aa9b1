import type { Produced, ProducedChoice } from '#calls/index.js';
import { textOf } from '#calls/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { FinishReason } from '#calls/hosted/port.js';
import { usageOf } from '../openai-chat/usage.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';
import { columnsOf } from './logprobs.js';

/** A whole text completion (https://platform.openai.com/docs/api-reference/completions/object). */
export function textCompletion({ run, inferenceId, modelId }: BegunAnswer): JsonObject {
  const { produced } = run;
  return {
    ...produced.details['openai-completions'],
    id: `cmpl-${run.inferenceId}`,
    object: 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model: modelId,
    choices: produced.choices.map((choice, index) => ({
      text: textOf(choice),
      index,
      logprobs: logprobsOf(choice),
      finish_reason: finishReason(choice.finish),
    })),
    usage: usageOf(run.usage),
    x_pioneer: { inference_id: inferenceId },
  };
}

/** The output shown in the history: the text, or those of all choices. */
export const recordedTexts = ({ choices }: Produced): Json =>
  choices.length === 1 ? textOf(choices[0]!) : choices.map(textOf);

function logprobsOf({ parts }: ProducedChoice): JsonObject | null {
  const rows = parts.flatMap((part) => (part.type === 'text' ? part.logprobs : []));
  return rows.length > 0 ? columnsOf(rows, 0).columns : null;
}

export function finishReason(reason: FinishReason | null): string {
  if (reason === 'length' || reason === 'content_filter') return reason;
  return reason === 'refusal' ? 'content_filter' : 'stop';
}
