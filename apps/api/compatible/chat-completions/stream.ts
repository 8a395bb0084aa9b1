import type { GenerationEvent } from '#hosted-models/port.js';
import { errorBody } from '../../errors/envelope.js';
import type { HttpError } from '../../errors/http-error.js';
import type { CompatibleRun } from '../core/compatible-calls.js';
import { dataEvent, type StreamEncoder } from '../core/event-stream.js';
import { finishReason, usageOf } from './encode.js';

/** A chat completion in chunks (https://platform.openai.com/docs/api-reference/chat/streaming). */
export class ChatStream implements StreamEncoder {
  private readonly head: object;

  constructor(
    private readonly started: CompatibleRun,
    private readonly includeUsage: boolean,
  ) {
    const { run, modelId, inferenceId } = started;
    this.head = {
      id: `chatcmpl-${run.inferenceId}`,
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1000),
      model: modelId,
      x_pioneer: { inference_id: inferenceId },
    };
  }

  begin(): string {
    return this.chunk({ role: 'assistant', content: '' });
  }

  batch(events: readonly GenerationEvent[]): string {
    let text = '';
    for (const event of events) {
      if (event.type === 'text') text += this.chunk({ content: event.text }, event.choice);
      else if (event.type === 'finish') text += this.chunk({}, event.choice, finishReason(event.reason));
    }
    return text;
  }

  end(): string {
    const usage = this.includeUsage
      ? dataEvent({ ...this.head, choices: [], usage: usageOf(this.started.run.usage) })
      : '';
    return `${usage}data: [DONE]\n\n`;
  }

  error(error: HttpError): string {
    return dataEvent(errorBody(error, 'openai', ''));
  }

  private chunk(delta: object, index = 0, finish_reason: string | null = null): string {
    return dataEvent({
      ...this.head,
      choices: [{ index, delta, logprobs: null, finish_reason }],
      ...(this.includeUsage && { usage: null }),
    });
  }
}
