import type { Json, JsonObject } from '#domain/json.js';
import type { GenerationEvent } from '#hosted-models/port.js';
import type { EventWriter } from './event-writer.js';
import {
  argumentsOf,
  functionCall,
  itemId,
  logprob,
  message,
  outputText,
  reasoning,
  refusal,
  summaryText,
  type ItemStatus,
} from './output.js';

type Said<Type extends GenerationEvent['type']> = Extract<GenerationEvent, { type: Type }>;
/** What an item is made of. */
export type Piece = Said<'text' | 'refusal' | 'thinking' | 'tool-call' | 'tool-input'>;

/** One item of an answer while it is written. */
export abstract class StreamedItem {
  protected abstract readonly type: string;
  private status: ItemStatus = 'in_progress';

  constructor(
    protected readonly writer: EventWriter,
    private readonly inferenceId: string,
    private readonly index: number,
  ) {}

  /** Whether a part that begins with this piece is of this item too. */
  takes(piece: Piece): boolean {
    return this.status === 'in_progress' && this.joins(piece);
  }

  /** Whether nothing of it is missing, as far as can be said. */
  get isWhole(): boolean {
    return true;
  }

  open(): string {
    return this.event('response.output_item.added', { item: this.item });
  }

  abstract add(piece: Piece): string;

  /** '' where it is closed. */
  close(status: 'completed' | 'incomplete'): string {
    if (this.status !== 'in_progress') return '';
    const done = this.closeContent();
    this.status = status;
    return done + this.event('response.output_item.done', { item: this.item });
  }

  get item(): JsonObject {
    return { id: this.id, ...this.shape(this.status) };
  }

  protected abstract shape(status: ItemStatus): JsonObject;
  protected abstract closeContent(): string;
  protected abstract joins(piece: Piece): boolean;

  protected get id(): string {
    return itemId(this.type, this.inferenceId, this.index);
  }

  /** An event about this item. */
  protected event(type: string, fields: JsonObject): string {
    return this.writer.event(type, { output_index: this.index, ...fields });
  }

  /** An event about what is in it. */
  protected inside(type: string, fields: JsonObject): string {
    return this.event(type, { item_id: this.id, ...fields });
  }

  protected deltas(type: string, fields: JsonObject = {}): (delta: string) => string {
    return this.writer.deltas(type, { output_index: this.index, item_id: this.id, ...fields });
  }
}

type Place = ConstructorParameters<typeof StreamedItem>;

/** The item that a part begins. */
export function streamedItem(piece: Exclude<Piece, Said<'tool-input'>>, ...place: Place): StreamedItem {
  switch (piece.type) {
    case 'text':
    case 'refusal':
      return new StreamedMessage(...place);
    case 'thinking':
      return new StreamedReasoning(...place);
    case 'tool-call':
      return new StreamedCall(piece, ...place);
  }
}

interface Content {
  readonly type: 'text' | 'refusal';
  readonly place: { readonly content_index: number };
  readonly delta: (text: string) => string;
  readonly logprobs: Json[];
  text: string;
}

class StreamedMessage extends StreamedItem {
  protected readonly type = 'message';
  /** By the number of the part. */
  private readonly contents = new Map<number, Content>();
  private current: Content | null = null;

  add(piece: Piece): string {
    if (piece.type !== 'text' && piece.type !== 'refusal') return '';
    const known = this.contents.get(piece.part);
    return known ? this.grow(known, piece) : this.begin(piece);
  }

  private begin(piece: Said<'text' | 'refusal'>): string {
    const { type } = piece;
    const done = this.closeContent();
    const place = { content_index: this.contents.size };
    const delta =
      type === 'text'
        ? this.deltas('response.output_text.delta', { ...place, logprobs: [] })
        : this.deltas('response.refusal.delta', place);
    this.current = { type, place, delta, text: '', logprobs: [] };
    this.contents.set(piece.part, this.current);
    const part = partOf(this.current);
    return done + this.inside('response.content_part.added', { ...place, part }) + this.grow(this.current, piece);
  }

  private grow(content: Content, { type, text, logprobs }: Said<'text' | 'refusal'>): string {
    content.text += text;
    if (type === 'text' && Array.isArray(logprobs)) {
      content.logprobs.push(...(logprobs as Json[]));
      const told = { ...content.place, delta: text, logprobs: (logprobs as Json[]).flatMap(logprob) };
      return this.inside('response.output_text.delta', told);
    }
    return text === '' ? '' : content.delta(text);
  }

  protected closeContent(): string {
    if (!this.current) return '';
    const { type, text, place, logprobs } = this.current;
    const part = partOf(this.current);
    this.current = null;
    const done =
      type === 'text'
        ? this.inside('response.output_text.done', { ...place, text, logprobs: logprobs.flatMap(logprob) })
        : this.inside('response.refusal.done', { ...place, refusal: text });
    return done + this.inside('response.content_part.done', { ...place, part });
  }

  protected joins({ type }: Piece): boolean {
    return type === 'text' || type === 'refusal';
  }

  protected shape(status: ItemStatus): JsonObject {
    const content = status === 'in_progress' ? [] : [...this.contents.values()].map(partOf);
    return message(content, status);
  }
}

const partOf = ({ type, text, logprobs }: Content): JsonObject =>
  type === 'text' ? outputText(text, logprobs) : refusal(text);

class StreamedReasoning extends StreamedItem {
  protected readonly type = 'reasoning';
  private text = '';
  private signature: string | null = null;
  private redacted = false;
  private readonly delta = this.deltas('response.reasoning_summary_text.delta', SUMMARY);

  add(piece: Piece): string {
    if (piece.type !== 'thinking') return '';
    const { text, signature, redacted = false } = piece;
    if (signature !== undefined) this.signature = (this.signature ?? '') + signature;
    this.redacted ||= redacted;
    if (text === '') return '';
    const added =
      this.text === ''
        ? this.inside('response.reasoning_summary_part.added', { ...SUMMARY, part: summaryText('') })
        : '';
    this.text += text;
    return added + this.delta(text);
  }

  protected closeContent(): string {
    const { text } = this;
    if (text === '') return '';
    return (
      this.inside('response.reasoning_summary_text.done', { ...SUMMARY, text }) +
      this.inside('response.reasoning_summary_part.done', { ...SUMMARY, part: summaryText(text) })
    );
  }

  protected joins(): boolean {
    return false;
  }

  protected shape(status: ItemStatus): JsonObject {
    const isOpen = status === 'in_progress';
    return reasoning(isOpen ? { text: '', signature: null, redacted: false } : this.thoughts, status);
  }

  private get thoughts() {
    return { text: this.text, signature: this.signature, redacted: this.redacted };
  }
}

const SUMMARY = { summary_index: 0 };

class StreamedCall extends StreamedItem {
  protected readonly type = 'function_call';
  private readonly callId: string;
  private readonly name: string;
  private input = '';
  private readonly delta = this.deltas('response.function_call_arguments.delta');

  constructor({ id, name }: Said<'tool-call'>, ...place: Place) {
    super(...place);
    this.callId = id;
    this.name = name;
  }

  override get isWhole(): boolean {
    return isJson(this.input);
  }

  add(piece: Piece): string {
    if (piece.type !== 'tool-input' || piece.json === '') return '';
    this.input += piece.json;
    return this.delta(piece.json);
  }

  protected closeContent(): string {
    return this.inside('response.function_call_arguments.done', {
      name: this.name,
      arguments: argumentsOf(this.input),
    });
  }

  protected joins(): boolean {
    return false;
  }

  protected shape(status: ItemStatus): JsonObject {
    const { callId: id, name, input } = this;
    return functionCall({ id, name, input }, status);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
