import type { JsonObject } from '#domain/json.js';
import type { FinishReason, GenerationEvent } from '../port.js';
import { newCallId } from '../call-ids.js';
import type { ResponseIdentity } from '../response-identity.js';
import { countedUsage } from './usage.js';
import { isPresent, isRecord } from '#primitives/values.js';

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a message that other events carry. */
const TOLD = new Set(['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage']);

const FINISH_REASONS = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop_sequence'],
  ['tool_use', 'tool_calls'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'length'],
]);

/** Reads an answer piece by piece, and gives the events that each piece adds. Throws a TypeError for a malformed piece. */
export class AnswerReader {
  /** The message has ended. */
  isEnded = false;
  private usage: Fields = {};
  private finish: GenerationEvent | null = null;
  /** Content blocks that only this style knows; so are all of their deltas. */
  private readonly foreignBlocks = new Set<number>();
  /** Calls that name no tool. */
  private readonly lost = new Set<number>();
  private hasCalls = false;
  /** Tool calls without any input yet, and the input that each began with: most providers send it in pieces instead. */
  private readonly withoutInput = new Map<number, string>();
  /** The block that events without a number are of. */
  private latest = -1;
  /** Texts and thoughts that have begun, empty as they begin. */
  private readonly begun = new Map<number, GenerationEvent>();

  /**
   * @param told changes the further fields of the answer, before the caller gets them
   * @param identity is told what identifies the answer
   * @param leftOut is told what of the answer cannot be understood
   */
  constructor(
    private readonly told: (details: JsonObject) => JsonObject,
    private readonly identity: ResponseIdentity,
    private readonly leftOut: (name: string) => void,
  ) {}

  /** Reads one event of a stream (https://platform.claude.com/docs/en/build-with-claude/streaming). */
  read(event: Fields, into: GenerationEvent[]): void {
    switch (event['type']) {
      case 'content_block_delta':
        return this.delta(numberOf(event['index'], this.latest), event['delta'], into);
      case 'content_block_start':
        return this.block(numberOf(event['index'], this.latest + 1), event['content_block'], into);
      case 'content_block_stop':
        return this.blockEnd(numberOf(event['index'], this.latest), into);
      case 'message_start':
        return this.message(fieldsOf(event['message']), into);
      case 'message_delta':
        return this.message({ ...fieldsOf(event['delta']), usage: event['usage'], ...outer(event) }, into);
      case 'message_stop':
        return this.complete(into);
    }
    // A ping, or an event of a newer version.
  }

  /** Reads a complete message. */
  readWhole(message: Fields, into: GenerationEvent[]): void {
    const { content: given } = message;
    if (given === undefined) throw new TypeError('no content');
    // Some servers of this style answer with a text alone, one block, or null.
    const content: readonly unknown[] = given === null ? [] : [given].flat();
    for (const [index, block] of content.entries())
      this.wholeBlock(index, typeof block === 'string' ? { type: 'text', text: block } : block, into);
    this.message(message, into);
    this.complete(into);
  }

  /** Ends an answer that is known to be whole: some servers give no reason. */
  private complete(into: GenerationEvent[]): void {
    this.finish ??= { type: 'finish', reason: this.hasCalls ? 'tool_calls' : 'stop' };
    this.end(into);
  }

  /** Ends the answer if the stream stopped without its last event. */
  end(into: GenerationEvent[]): void {
    if (this.finish === null) return;
    for (const part of this.withoutInput.keys()) this.blockEnd(part, into);
    into.push(this.finish);
    this.isEnded = true;
  }

  private message(fields: Fields, into: GenerationEvent[]): void {
    const { usage, stop_reason: reason, stop_sequence: sequence } = fields;
    this.identity.read(fields);
    const details: Record<string, unknown> = {};
    for (const name in fields) if (!TOLD.has(name) && fields[name] !== null) details[name] = fields[name];
    if (isRecord(usage)) {
      // Counts that a later usage omits still hold.
      this.usage = { ...this.usage, ...withoutNulls(usage) };
      const counted = countedUsage(this.usage);
      if (counted !== null) into.push({ type: 'usage', usage: counted });
      details['usage'] = this.usage;
    }
    if (typeof reason === 'string') {
      const meant = this.reasonOf(reason);
      if (meant === 'stop' && reason === 'tool_use') details['stop_reason'] = 'end_turn';
      else details['stop_reason'] = reason;
      this.finish = {
        ...{ type: 'finish', reason: meant },
        ...(typeof sequence === 'string' && { stopSequence: sequence }),
      };
    }
    if (Object.keys(details).length > 0)
      into.push({ type: 'details', style: 'anthropic', fields: this.told(details as JsonObject) });
  }

  /** Some servers report the end of a turn for a call, or a call that there is not. */
  private reasonOf(reason: string): FinishReason {
    const meant = FINISH_REASONS.get(reason) ?? 'stop';
    if (meant === 'tool_calls' && !this.hasCalls && this.lost.size > 0) return 'stop';
    return meant === 'stop' && this.hasCalls ? 'tool_calls' : meant;
  }

  private block(part: number, block: unknown, into: GenerationEvent[]): void {
    this.latest = part;
    if (!isRecord(block)) return void (isPresent(block) && this.leftOut('answer.content'));
    switch (isPlain(block) ? block['type'] : null) {
      case 'text':
        this.begun.set(part, { type: 'text', part, text: '' });
        return this.text(part, this.textOf(block['text'] ?? ''), into);
      case 'thinking':
        this.begun.set(part, { type: 'thinking', part, text: '' });
        return this.thinking(part, this.textOf(block['thinking'] ?? ''), block['signature'] ?? '', into);
      case 'redacted_thinking':
        return void into.push({
          type: 'thinking',
          part,
          text: '',
          redacted: true,
          signature: this.textOf(block['data']),
        });
      case 'tool_use':
        return this.call(part, block, into);
      default:
        this.foreignBlocks.add(part);
        into.push({ type: 'foreign', part, style: 'anthropic', value: block as JsonObject, isDelta: false });
    }
  }

  private call(part: number, { id, name, input }: Fields, into: GenerationEvent[]): void {
    if (typeof name !== 'string' || name === '') {
      this.lost.add(part);
      return this.leftOut('answer.content.tool_use');
    }
    into.push({ type: 'tool-call', part, id: this.textOf(id ?? '') || newCallId(), name });
    this.withoutInput.set(part, jsonOf(input) || '{}');
    this.hasCalls = true;
  }

  private delta(part: number, delta: unknown, into: GenerationEvent[]): void {
    if (this.lost.has(part)) return;
    if (!isRecord(delta)) return void (isPresent(delta) && this.leftOut('answer.delta'));
    const { type = typeof delta['text'] === 'string' ? 'text_delta' : undefined } = delta;
    switch (this.foreignBlocks.has(part) ? null : type) {
      case 'text_delta':
        return this.text(part, this.textOf(delta['text'] ?? ''), into);
      case 'thinking_delta':
        return this.thinking(part, this.textOf(delta['thinking'] ?? ''), '', into);
      case 'signature_delta':
        return this.thinking(part, '', delta['signature'] ?? '', into);
      case 'input_json_delta':
        return this.toolInput(part, jsonOf(delta['partial_json']), into);
      default: {
        // A citation may come before the text that it is of.
        const begun = this.begun.get(part);
        if (begun) into.push(begun);
        into.push({ type: 'foreign', part, style: 'anthropic', value: delta as JsonObject, isDelta: true });
      }
    }
  }

  /** A block starts without any. */
  private text(part: number, text: string, into: GenerationEvent[]): void {
    if (text !== '') into.push({ type: 'text', part, text });
  }

  private thinking(part: number, text: string, signature: unknown, into: GenerationEvent[]): void {
    if (signature !== '') into.push({ type: 'thinking', part, text, signature: this.textOf(signature) });
    else if (text !== '') into.push({ type: 'thinking', part, text });
  }

  private toolInput(part: number, json: string, into: GenerationEvent[]): void {
    if (json === '') return;
    this.withoutInput.delete(part);
    into.push({ type: 'tool-input', part, json });
  }

  /** Empty for a value that is none, which is named. */
  private textOf(value: unknown): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    this.leftOut('answer.content');
    return '';
  }

  /** A tool without arguments has been given an empty object. */
  private blockEnd(part: number, into: GenerationEvent[]): void {
    this.toolInput(part, this.withoutInput.get(part) ?? '', into);
  }

  private wholeBlock(part: number, block: unknown, into: GenerationEvent[]): void {
    this.block(part, block, into);
    this.blockEnd(part, into);
    const { citations } = fieldsOf(block);
    if (!this.foreignBlocks.has(part) && Array.isArray(citations))
      for (const citation of citations as readonly unknown[])
        this.delta(part, { type: 'citations_delta', citation }, into);
  }
}

/** A tool called from another tool, or one of a set, exists in this style only. */
function isPlain({ caller, toolset_name: toolset = null }: Fields): boolean {
  return toolset === null && (!isRecord(caller) || caller['type'] === 'direct');
}

/** Fields beside the delta of a message. */
function outer({ type: _, delta: __, usage: ___, ...fields }: Fields): Fields {
  return fields;
}

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});

/** The input of a call as JSON text; some providers send the parsed value. An empty object says that it comes in pieces. */
function jsonOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return isRecord(value) && Object.keys(value).length > 0 ? JSON.stringify(value) : '';
}

/** Limit on the parts of an answer. */
const MAX_PARTS = 10_000;

/** @param otherwise for a value that is no number */
function numberOf(value: unknown, otherwise: number): number {
  const read = typeof value === 'string' && value !== '' ? Number(value) : value;
  const number = typeof read === 'number' && Number.isInteger(read) && read >= 0 ? read : otherwise;
  if (number < MAX_PARTS) return number;
  throw new TypeError('too many parts');
}
