import type { Json, JsonObject } from '#domain/json.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { FinishReason, GenerationEvent } from '../port.js';
import { rowsOf } from './logprobs.js';
import { ToolCalls } from './tool-calls.js';

type Fields = Readonly<Record<string, unknown>>;

/** A choice of an answer, which comes in pieces (`delta`) or whole (`message`). */
export class Choice {
  private parts = 0;
  /** Type of the growing part; a piece of another type begins the next part. */
  private growing: 'text' | 'thinking' | 'refusal' | null = null;
  private part = 0;
  private readonly numbered: { readonly choice?: number };
  private readonly calls: ToolCalls;
  private readonly foreign = new Map<string, number>();
  /** The last text, whose sources may come after other parts; null: there was none. */
  private lastText: number | null = null;
  /** Sources that came before their text. */
  private early: Json[] = [];
  private finish: FinishReason | null = null;
  private stopSequence: string | undefined;

  /**
   * @param number events of the first do not name it
   * @param leftOut is told what cannot be understood
   */
  constructor(
    number: number,
    private readonly leftOut: (name: string) => void,
  ) {
    this.numbered = number === 0 ? {} : { choice: number };
    this.calls = new ToolCalls(this.numbered, () => this.nextPart());
  }

  /** Appends the events of an entry of `choices`. @throws TypeError if it is malformed */
  read(entry: Fields, events: GenerationEvent[]): void {
    // Some servers answer a chat as if it were a text, or stream bare texts.
    const { delta, message, text, logprobs } = entry;
    const given = delta ?? message ?? text;
    const said = typeof given === 'string' ? { content: given } : given;
    if (isRecord(said))
      this.readSaid(said, (logprobs ?? {}) as Fields, message !== undefined && delta === undefined, events);
    else if (isPresent(said)) this.leftOut('answer.delta');
    this.readFinish(entry);
  }

  /** Appends the events of an entry of `choices` of a text completion. @throws TypeError if it is malformed */
  readText(entry: Fields, events: GenerationEvent[]): void {
    const { text } = entry;
    if (typeof text !== 'string') throw new TypeError('a choice without text');
    this.say('text', text, rowsOf(entry['logprobs']), events);
    this.readFinish(entry);
  }

  /**
   * null: it has not ended.
   */
  end(isWhole: boolean): GenerationEvent[] | null {
    const finish = this.finish ?? (isWhole ? 'stop' : null);
    if (finish === null) return null;
    if (!this.calls.end()) this.leftOut('answer.tool_calls');
    // Some providers report `stop` for a call that was forced, or calls that there are not.
    const isSaid = finish === 'stop' || finish === 'tool_calls';
    const reason = isSaid ? (this.calls.any ? 'tool_calls' : 'stop') : finish;
    const stopSequence = this.stopSequence !== undefined && { stopSequence: this.stopSequence };
    const events: GenerationEvent[] = [];
    for (const sources of this.early.splice(0)) this.annotate(this.nextPart(), sources, events);
    events.push({ type: 'finish', reason, ...stopSequence, ...this.numbered });
    return events;
  }

  private readFinish({ finish_reason: reason, stop_reason: met }: Fields): void {
    if (typeof reason !== 'string' || reason === '') return;
    if (FAILURES.has(reason)) throw new TypeError('it failed on its way');
    this.finish = FINISHES.get(reason.toLowerCase()) ?? 'stop';
    // Some providers name the stop sequence that matched; most do not.
    if (this.finish !== 'stop' || typeof met !== 'string' || met === '') return;
    this.finish = 'stop_sequence';
    this.stopSequence = met;
  }

  /** Thoughts come first, whatever the order of the fields, and calls last. */
  private readSaid(said: Fields, logprobs: Fields, isWhole: boolean, events: GenerationEvent[]): void {
    this.readThoughts(said, events);
    this.readContent(said['content'], logprobs['content'], events);
    const { refusal } = said;
    if (typeof refusal === 'string') this.say('refusal', refusal, logprobs['refusal'], events);
    const { tool_calls: calls, function_call: legacy } = said;
    const made = isRecord(calls) ? [calls] : Array.isArray(calls) ? (calls as readonly unknown[]) : [];
    if (made.length > 0) this.growing = null;
    for (const call of made)
      if (isRecord(call)) this.calls.read(call, isWhole, events);
      else if (call !== null) this.leftOut('answer.tool_calls');
    if (isRecord(legacy)) {
      this.growing = null;
      this.calls.readLegacy(legacy, events);
    } else if (isPresent(legacy)) this.leftOut('answer.function_call');
    for (const name in said)
      if (!KNOWN.has(name) || (isRecord(said[name]) && THOUGHTS.includes(name)))
        this.other(name, said[name] as Json, events);
  }

  /** Reads thinking as text, or as blocks of the same text, which may be signed. */
  private readThoughts(said: Fields, events: GenerationEvent[]): void {
    const { thinking_blocks: blocks } = said;
    if (!Array.isArray(blocks) || blocks.length === 0) {
      for (const name of THOUGHTS) {
        const thought = said[name];
        if (typeof thought === 'string' && thought !== '') return this.say('thinking', thought, undefined, events);
      }
      return;
    }
    for (const block of blocks as readonly unknown[]) {
      if (!isRecord(block)) {
        this.leftOut('answer.thinking_blocks');
        continue;
      }
      const { type, thinking, signature, data } = block;
      if (type === 'redacted_thinking' && typeof data === 'string') {
        const part = this.nextPart();
        this.growing = null;
        events.push({ type: 'thinking', part, text: '', redacted: true, signature: data, ...this.numbered });
      } else {
        if (typeof thinking === 'string') this.say('thinking', thinking, undefined, events);
        if (typeof signature === 'string' && signature !== '') this.sign(signature, events);
      }
    }
  }

  /** Ends the thinking block that the signature belongs to. */
  private sign(signature: string, events: GenerationEvent[]): void {
    const part = this.growing === 'thinking' ? this.part : this.nextPart();
    this.growing = null;
    events.push({ type: 'thinking', part, text: '', signature, ...this.numbered });
  }

  /** A text, or a list of parts: of texts and thoughts, as some write them. */
  private readContent(content: unknown, logprobs: unknown, events: GenerationEvent[]): void {
    if (typeof content === 'string') return this.say('text', content, logprobs, events);
    if (content === undefined || content === null) return;
    for (const each of [content].flat()) {
      if (typeof each === 'string' || typeof each === 'number') this.say('text', `${each}`, undefined, events);
      else if (!isRecord(each)) this.leftOut('answer.content');
      if (!isRecord(each)) continue;
      const part = each;
      const { type, text, thinking } = part;
      if (typeof text === 'string') this.say('text', text, undefined, events);
      else if (type === 'thinking') this.say('thinking', thoughtOf(thinking), undefined, events);
      else this.other('content', [part as JsonObject], events);
    }
  }

  private say(type: 'text' | 'thinking' | 'refusal', text: string, rows: unknown, events: GenerationEvent[]): void {
    const logprobs = Array.isArray(rows) && rows.length > 0 ? (rows as Json) : null;
    if (text === '' && logprobs === null) return;
    if (this.growing !== type) {
      this.growing = type;
      this.part = this.nextPart();
    }
    const { part } = this;
    if (logprobs === null || type === 'thinking') events.push({ type, part, text, ...this.numbered });
    else events.push({ type, part, text, logprobs, ...this.numbered });
    if (type !== 'text') return;
    this.lastText = part;
    for (const sources of this.early.splice(0)) this.annotate(part, sources, events);
  }

  /** A field that only this style has. It may accompany any piece of a text, outside the order of parts. */
  private other(name: string, value: Json | undefined, events: GenerationEvent[]): void {
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return;
    // Sources are of the text before them, or of the first.
    if (name === 'annotations')
      return this.lastText === null ? void this.early.push(value) : this.annotate(this.lastText, value, events);
    const present = this.foreign.get(name);
    const part = present ?? this.nextPart();
    if (present === undefined) this.foreign.set(name, part);
    const isDelta = present !== undefined;
    events.push({ type: 'foreign', style: 'openai', part, value: { [name]: value }, isDelta, ...this.numbered });
  }

  private annotate(part: number, annotations: Json, events: GenerationEvent[]): void {
    const value = { annotations };
    events.push({ type: 'foreign', style: 'openai', part, value, isDelta: true, ...this.numbered });
  }

  private nextPart(): number {
    this.parts += 1;
    return this.parts - 1;
  }
}

/** Fields in which providers have thoughts; some send two of them, alike. The last is Copilot's. */
const THOUGHTS = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_text'];

const KNOWN = new Set([...THOUGHTS, 'role', 'content', 'refusal', 'thinking_blocks', 'tool_calls', 'function_call']);

/** A text, or a list of parts with some. */
function thoughtOf(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  const texts = Array.isArray(thinking)
    ? (thinking as readonly unknown[]).map((each) => (isRecord(each) ? each['text'] : each))
    : [];
  return texts.filter((text) => typeof text === 'string').join('');
}

/** Finish reasons of chat and text completions, and those that similar servers adopted. Any other is a `stop`. */
const FINISHES: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['refusal', 'refusal'],
]);

/** Finish reasons that mean a failure. */
const FAILURES: ReadonlySet<string> = new Set(['error', 'abort', 'aborted', 'insufficient_system_resource']);
