import type { JsonObject } from '#domain/json.js';
import type { GenerationEvent } from '#calls/hosted/port.js';
import type { EventWriter } from './event-writer.js';
import { itemId, type ItemStatus } from './output.js';

export type Said<Type extends GenerationEvent['type']> = Extract<GenerationEvent, { type: Type }>;
/** An event that adds to an item. */
export type ItemPiece = Said<'text' | 'refusal' | 'thinking' | 'tool-call' | 'tool-input' | 'foreign'>;

/** An item of an answer while it is streamed. */
export abstract class StreamedItem {
  protected abstract readonly type: string;
  private status: ItemStatus = 'in_progress';

  constructor(
    protected readonly writer: EventWriter,
    private readonly inferenceId: string,
    private readonly index: number,
  ) {}

  /** Whether a part that begins with this piece belongs to this item. */
  takes(piece: ItemPiece): boolean {
    return this.status === 'in_progress' && this.joins(piece);
  }

  /** Whether the item is known to be complete. */
  get isWhole(): boolean {
    return true;
  }

  open(): string {
    return this.event('response.output_item.added', { item: this.item });
  }

  abstract add(piece: ItemPiece): string;

  /** '' if it is closed. */
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
  protected abstract joins(piece: ItemPiece): boolean;

  protected get id(): string {
    return itemId(this.type, this.inferenceId, this.index);
  }

  /** An event about this item. */
  protected event(type: string, fields: JsonObject): string {
    return this.writer.event(type, { output_index: this.index, ...fields });
  }

  /** An event about the item's content. */
  protected inside(type: string, fields: JsonObject): string {
    return this.event(type, { item_id: this.id, ...fields });
  }

  protected deltas(type: string, fields: JsonObject = {}): (delta: string) => string {
    return this.writer.deltas(type, { output_index: this.index, item_id: this.id, ...fields });
  }
}

export type ItemPlace = ConstructorParameters<typeof StreamedItem>;
