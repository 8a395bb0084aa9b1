import type { Json } from '#domain/json.js';
import type { GenerationEvent } from '#calls/hosted/port.js';
import { ChunkHead } from '../openai-chat/chunk-head.js';
import { usageOf } from '../openai-chat/usage.js';
import { errorBody } from '../../edge/errors/envelope.js';
import type { HttpError } from '../../edge/errors/http-error.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';
import { dataEvent, type StreamEncoder } from '../../edge/event-stream.js';
import { finishReason } from './encode.js';
import { columnsOf } from './logprobs.js';

/** Writes a text completion in chunks: each is a completion with the next piece of text. */
export class CompletionStream implements StreamEncoder {
  private readonly head: ChunkHead;
  private readonly tail: string;
  /** Offset of the next token of each choice, according to log probabilities. */
  private readonly offsets = new Map<number, number>();

  constructor(
    private readonly started: BegunAnswer,
    private readonly includeUsage: boolean,
  ) {
    this.head = new ChunkHead(started, 'cmpl', 'text_completion');
    this.tail = `}]${includeUsage ? ',"usage":null' : ''}}\n\n`;
  }

  begin(): string {
    return '';
  }

  batch(events: readonly GenerationEvent[]): string {
    let text = '';
    for (const event of events) {
      if (event.type === 'text') text += this.chunk(event.choice, event.text, this.logprobs(event));
      else if (event.type === 'details' && event.style === 'openai-completions') this.head.add(event.fields);
      else if (event.type === 'finish') text += this.chunk(event.choice, '', 'null', `"${finishReason(event.reason)}"`);
    }
    return text;
  }

  end(): string {
    const usage = { ...this.head.fields, choices: [], usage: usageOf(this.started.run.usage) };
    return `${this.includeUsage ? dataEvent(usage) : ''}data: [DONE]\n\n`;
  }

  error(error: HttpError): string {
    return dataEvent(errorBody(error, 'openai', ''));
  }

  private logprobs({ logprobs, choice = 0 }: { readonly logprobs?: Json; readonly choice?: number }): string {
    if (!Array.isArray(logprobs)) return 'null';
    const { columns, next } = columnsOf(logprobs as readonly Json[], this.offsets.get(choice) ?? 0);
    this.offsets.set(choice, next);
    return JSON.stringify(columns);
  }

  private chunk(choice = 0, text: string, logprobs: string, finish = 'null'): string {
    const said = `{"text":${JSON.stringify(text)},"index":${choice},"logprobs":${logprobs},"finish_reason":${finish}`;
    return `data: ${this.head.json},"choices":[${said}${this.tail}`;
  }
}
