import type { Json, JsonObject } from '#domain/json.js';
import type { GenerationEvent } from '#calls/hosted/port.js';
import { errorBody } from '../../edge/errors/envelope.js';
import type { HttpError } from '../../edge/errors/http-error.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';
import { dataEvent, type StreamEncoder } from '../../edge/event-stream.js';
import { ChunkHead } from './chunk-head.js';
import { annotated, customCall, finishReason, NO_ARGUMENTS, thinkingBlocksOf, type Speech } from './encode.js';
import { usageOf } from './usage.js';

/** How an answer is told. */
export interface ChatSpeech extends Speech {
  /** Whether the stream ends with a usage chunk. */
  readonly includeUsage: boolean;
}

/** State of a choice, by part index. */
interface BegunChoice {
  /** Tool calls in order: a call's position is its `index`. */
  readonly calls: number[];
  /** Tool calls without any input yet. */
  readonly silent: Set<number>;
  /** Calls of custom tools, whose text is inside an argument, so that it is read at the end. */
  readonly custom: Map<number, { readonly id: string; readonly name: string; input: string }>;
}

/**
 * Writes a chat completion in chunks (https://platform.openai.com/docs/api-reference/chat/streaming). Serialises the
 * chunks' common part once, and of each chunk only its delta.
 */
export class ChatStream implements StreamEncoder {
  private readonly head: ChunkHead;
  private readonly tail: string;
  private readonly choices = new Map<number, BegunChoice>();

  constructor(
    private readonly started: BegunAnswer,
    private readonly speech: ChatSpeech,
  ) {
    this.head = new ChunkHead(started, 'chatcmpl', 'chat.completion.chunk');
    this.tail = `}]${speech.includeUsage ? ',"usage":null' : ''}}\n\n`;
  }

  /** Empty: a choice starts with its first event, which determines its kind. */
  begin(): string {
    return '';
  }

  batch(events: readonly GenerationEvent[]): string {
    let text = '';
    for (const event of events) text += this.event(event);
    return text;
  }

  end(): string {
    const usage = { ...this.head.fields, choices: [], usage: usageOf(this.started.run.usage) };
    return `${this.speech.includeUsage ? dataEvent(usage) : ''}data: [DONE]\n\n`;
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
        return event.style === 'openai' ? this.foreign(event) : '';
      case 'details':
        if (event.style === 'openai') this.head.add(event.fields);
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
    const called = { name, arguments: '' };
    const index = this.callNumber(choice, event.part);
    if (this.speech.hasFunctions && index > 0) return '';
    const { silent, custom } = this.choices.get(choice)!;
    if (this.speech.customTools.has(name)) {
      custom.set(event.part, { id, name, input: '' });
      return begin;
    }
    silent.add(event.part);
    const delta = this.speech.hasFunctions
      ? { function_call: called }
      : { tool_calls: [{ index, id, type: 'function', function: called }] };
    return begin + this.chunk(choice, JSON.stringify(delta));
  }

  /** Foreign tool calls share the numbering of the others. */
  private foreign(event: Extract<GenerationEvent, { type: 'foreign' }>): string {
    const { value, part, choice = 0 } = event;
    const calls = value['tool_calls'];
    if (!Array.isArray(calls)) return this.delta(event, JSON.stringify(value));
    const begin = this.begun(choice, null);
    const index = this.callNumber(choice, part);
    const numbered = calls.map((call: Json) => ({ ...(call as JsonObject), index }));
    return begin + this.chunk(choice, JSON.stringify({ tool_calls: numbered }));
  }

  private callNumber(choice: number, part: number): number {
    const { calls } = this.choices.get(choice)!;
    const present = calls.indexOf(part);
    return present < 0 ? calls.push(part) - 1 : present;
  }

  private toolInput({ part, json, choice = 0 }: Extract<GenerationEvent, { type: 'tool-input' }>): string {
    if (json === '') return '';
    const index = this.callNumber(choice, part);
    if (this.speech.hasFunctions && index > 0) return '';
    const { silent, custom } = this.choices.get(choice)!;
    const held = custom.get(part);
    if (held) held.input += json;
    if (held) return '';
    silent.delete(part);
    return this.chunk(choice, this.input(index, json));
  }

  private input(index: number, json: string): string {
    const called = `{"arguments":${JSON.stringify(json)}}`;
    return this.speech.hasFunctions
      ? `{"function_call":${called}}`
      : `{"tool_calls":[{"index":${index},"function":${called}}]}`;
  }

  /** Emits data known only at a choice's end, then its finish reason. */
  private finish({ choice = 0, reason }: Extract<GenerationEvent, { type: 'finish' }>): string {
    const { parts } = this.started.run.produced.choices[choice]!;
    let text = this.begun(choice, '');
    const { silent, custom } = this.choices.get(choice)!;
    for (const part of silent) text += this.chunk(choice, this.input(this.callNumber(choice, part), NO_ARGUMENTS));
    for (const [part, { id, name, input }] of custom) {
      const call = { index: this.callNumber(choice, part), ...customCall(id, name, input) };
      text += this.chunk(choice, JSON.stringify({ tool_calls: [call] }));
    }
    const blocks = thinkingBlocksOf(parts);
    const late = { ...(blocks.length > 0 && { thinking_blocks: blocks }), ...annotated(parts) };
    if (Object.keys(late).length > 0) text += this.chunk(choice, JSON.stringify(late));
    return text + this.chunk(choice, '{}', 'null', `"${finishReason(reason, this.speech)}"`);
  }

  private delta({ choice = 0 }: { readonly choice?: number }, delta: string, logprobs = 'null'): string {
    return this.begun(choice, '') + this.chunk(choice, delta, logprobs);
  }

  /** The chunk with the role, before a choice's first content. */
  private begun(choice: number, content: '' | null): string {
    if (this.choices.has(choice)) return '';
    this.choices.set(choice, { calls: [], silent: new Set(), custom: new Map() });
    return this.chunk(choice, JSON.stringify({ role: 'assistant', content, refusal: null }));
  }

  private chunk(choice: number, delta: string, logprobs = 'null', finish = 'null'): string {
    const said = `{"index":${choice},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}`;
    return `data: ${this.head.json},"choices":[${said}${this.tail}`;
  }
}

const probabilities = (of: 'content' | 'refusal', logprobs: Json | undefined): string =>
  logprobs === undefined ? 'null' : JSON.stringify({ content: null, refusal: null, [of]: logprobs });
