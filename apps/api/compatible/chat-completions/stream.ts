import type { Json, JsonObject } from '#domain/json.js';
import type { GenerationEvent } from '#hosted-models/port.js';
import { errorBody } from '../../errors/envelope.js';
import type { HttpError } from '../../errors/http-error.js';
import type { CompatibleRun } from '../core/compatible-calls.js';
import { dataEvent, type StreamEncoder } from '../core/event-stream.js';
import { finishReason, NO_ARGUMENTS, thinkingBlocksOf, type Speech } from './encode.js';
import { usageOf } from './usage.js';

/**
 * A chat completion in chunks (https://platform.openai.com/docs/api-reference/chat/streaming). What all chunks have in common is
 * written once: of each only its delta is.
 */
export class ChatStream implements StreamEncoder {
  private head!: string;
  private readonly tail: string;
  private readonly choices = new Map<number, { readonly calls: number[] }>();
  private details: JsonObject = {};
  private readonly created = Math.floor(Date.now() / 1000);

  constructor(
    private readonly started: CompatibleRun,
    private readonly speech: Speech & { readonly includeUsage: boolean },
  ) {
    const pioneer = `"x_pioneer":${JSON.stringify({ inference_id: started.inferenceId })}}\n\n`;
    this.tail = `}],${speech.includeUsage ? '"usage":null,' : ''}${pioneer}`;
    this.writeHead();
  }

  /** A choice begins with its first event, which says of what kind it is. */
  begin(): string {
    return '';
  }

  batch(events: readonly GenerationEvent[]): string {
    let text = '';
    for (const event of events) text += this.event(event);
    return text;
  }

  end(): string {
    const { includeUsage } = this.speech;
    const { run, inferenceId } = this.started;
    const usage = { choices: [], usage: usageOf(run.usage), x_pioneer: { inference_id: inferenceId } };
    return `${includeUsage ? dataEvent({ ...this.common(), ...usage }) : ''}data: [DONE]\n\n`;
  }

  error(error: HttpError): string {
    return dataEvent(errorBody(error, 'openai', ''));
  }

  private event(event: GenerationEvent): string {
    switch (event.type) {
      case 'text':
        return this.delta(event, `{"content":${JSON.stringify(event.text)}}`, probabilities('content', event.logprobs));
      case 'thinking':
        return event.text === '' ? '' : this.delta(event, `{"reasoning_content":${JSON.stringify(event.text)}}`);
      case 'refusal':
        return this.delta(event, `{"refusal":${JSON.stringify(event.text)}}`, probabilities('refusal', event.logprobs));
      case 'tool-call':
        return this.toolCall(event);
      case 'tool-input':
        return this.toolInput(event);
      case 'foreign':
        return event.style === 'openai' ? this.delta(event, JSON.stringify(event.value)) : '';
      case 'details':
        if (event.style === 'openai') this.writeHead(event.fields);
        return '';
      case 'usage':
        return '';
      case 'finish':
        return this.finish(event);
    }
  }

  private toolCall(event: Extract<GenerationEvent, { type: 'tool-call' }>): string {
    const { id, name, choice = 0 } = event;
    const begin = this.begun(choice, null);
    const { calls } = this.choices.get(choice)!;
    const called = { name, arguments: '' };
    calls.push(event.part);
    const delta = this.speech.hasFunctions
      ? { function_call: called }
      : { tool_calls: [{ index: calls.length - 1, id, type: 'function', function: called }] };
    return begin + this.chunk(choice, JSON.stringify(delta));
  }

  private toolInput({ part, json, choice = 0 }: Extract<GenerationEvent, { type: 'tool-input' }>): string {
    const index = this.choices.get(choice)?.calls.indexOf(part) ?? -1;
    return json === '' ? '' : this.chunk(choice, this.input(index, json));
  }

  private input(index: number, json: string): string {
    const called = `{"arguments":${JSON.stringify(json)}}`;
    return this.speech.hasFunctions
      ? `{"function_call":${called}}`
      : `{"tool_calls":[{"index":${index},"function":${called}}]}`;
  }

  /** What is only known at a choice's end comes before its reason. */
  private finish({ choice = 0, reason }: Extract<GenerationEvent, { type: 'finish' }>): string {
    const { parts } = this.started.run.produced.choices[choice]!;
    let text = this.begun(choice, '');
    parts
      .filter((part) => part.type === 'tool-call')
      .forEach(({ input }, index) => {
        if (input === '') text += this.chunk(choice, this.input(index, NO_ARGUMENTS));
      });
    const blocks = thinkingBlocksOf(parts);
    if (blocks.length > 0) text += this.chunk(choice, JSON.stringify({ thinking_blocks: blocks }));
    return text + this.chunk(choice, '{}', 'null', `"${finishReason(reason, this.speech)}"`);
  }

  private delta({ choice = 0 }: { readonly choice?: number }, delta: string, logprobs = 'null'): string {
    return this.begun(choice, '') + this.chunk(choice, delta, logprobs);
  }

  /** The chunk that says the role, before a choice's first. */
  private begun(choice: number, content: '' | null): string {
    if (this.choices.has(choice)) return '';
    this.choices.set(choice, { calls: [] });
    return this.chunk(choice, JSON.stringify({ role: 'assistant', content, refusal: null }));
  }

  private chunk(choice: number, delta: string, logprobs = 'null', finish = 'null'): string {
    return `${this.head}${choice},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}${this.tail}`;
  }

  private writeHead(details: JsonObject = {}): void {
    this.details = { ...this.details, ...details };
    this.head = `data: ${JSON.stringify(this.common()).slice(0, -1)},"choices":[{"index":`;
  }

  private common(): JsonObject {
    const { run, modelId } = this.started;
    return {
      ...this.details,
      id: `chatcmpl-${run.inferenceId}`,
      object: 'chat.completion.chunk',
      created: this.created,
      model: modelId,
    };
  }
}

const probabilities = (of: 'content' | 'refusal', logprobs: Json | undefined): string =>
  logprobs === undefined ? 'null' : JSON.stringify({ content: null, refusal: null, [of]: logprobs });
