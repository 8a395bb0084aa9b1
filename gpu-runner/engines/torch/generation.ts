import { randomUUID } from 'node:crypto';
import type { GeneratedChunk, GenerateRequest } from '../decoder-engine.js';
import { openAiMessage, openAiTool } from './chat-shape.js';
import { generationFault } from './faults.js';
import type { DoneMessage, ErrorMessage, GenerateMessage, TokenMessage } from './messages.js';

/** A request in Python's form. Greedy if no sampling is requested. */
export function generateMessage(id: string, model: string, request: GenerateRequest): GenerateMessage {
  const { input, format } = request;
  const samples = request.topP !== undefined || request.topK !== undefined;
  return {
    ...{ type: 'generate', id, model },
    ...('messages' in input ? { messages: input.messages.map(openAiMessage) } : { prompt: input.prompt }),
    maxTokens: request.maxTokens,
    temperature: request.temperature ?? (samples ? 1 : 0),
    topP: request.topP ?? 1,
    topK: request.topK ?? 0,
    frequencyPenalty: request.frequencyPenalty ?? 0,
    presencePenalty: request.presencePenalty ?? 0,
    stop: request.stop ?? [],
    seed: request.seed ?? null,
    logprobs: request.logprobs !== undefined,
    topLogprobs: request.logprobs?.top ?? 0,
    tools: (request.tools ?? []).map(openAiTool),
    toolChoice: request.toolChoice ?? 'auto',
    jsonSchema: !format ? null : format.type === 'json_object' ? true : format.schema,
  };
}

type Heard = TokenMessage | DoneMessage | ErrorMessage;

/** A generation, with its unread messages. Python sends at most 64 messages ahead of the acknowledged one. */
export class Generation {
  private readonly heard: Heard[] = [];
  private lost: Error | null = null;
  private wake: () => void = () => undefined;

  hear(message: Heard): void {
    this.heard.push(message);
    this.wake();
  }

  /** Ends it with the error of its process, which has died. */
  fail(error: Error): void {
    this.lost = error;
    this.wake();
  }

  /**
   * @param taken is called with the number of each message once the consumer has taken it
   * @throws as `LoadedDecoder.generate`
   */
  async *chunks(taken: (seq: number) => void, signal: AbortSignal): AsyncGenerator<GeneratedChunk> {
    const wake = () => this.wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        const message = await this.next(signal);
        if (message.type === 'error') throw generationFault(message);
        if (message.type === 'done') {
          yield* endOf(message);
          return;
        }
        const { text, logprobs, seq } = message;
        if (text !== '' || logprobs) yield { type: 'text', text, ...(logprobs && { logprobs }) };
        taken(seq);
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  private async next(signal: AbortSignal): Promise<Heard> {
    for (;;) {
      signal.throwIfAborted();
      const message = this.heard.shift();
      if (message) return message;
      if (this.lost) throw this.lost;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

function* endOf({ finishReason, stopSequence, toolCalls, usage }: DoneMessage): Generator<GeneratedChunk> {
  for (const { name, arguments: input } of toolCalls)
    yield { type: 'tool-call', id: `call_${randomUUID().replaceAll('-', '')}`, name, input };
  const stopped = stopSequence === null ? {} : { stopSequence };
  const reason = stopSequence !== null ? 'stop_sequence' : finishReason === 'cancelled' ? 'stop' : finishReason;
  yield { type: 'end', reason, ...stopped, ...usage };
}
