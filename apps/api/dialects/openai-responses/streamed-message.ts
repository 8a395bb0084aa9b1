import type { Json, JsonObject } from '#domain/json.js';
import { annotations, logprob, message, outputText, refusal, type ItemStatus } from './output.js';
import type { Style } from '#calls/hosted/port.js';
import { StreamedItem, type ItemPiece, type Said } from './streamed-item.js';

interface Content {
  readonly type: 'text' | 'refusal';
  readonly place: { readonly content_index: number };
  readonly delta: (text: string) => string;
  readonly logprobs: Json[];
  readonly additions: { style: Style; value: JsonObject }[];
  text: string;
}

/** Texts and refusals that follow each other. */
export class StreamedMessage extends StreamedItem {
  protected readonly type = 'message';
  /** Contents by part index. */
  private readonly contents = new Map<number, Content>();
  private current: Content | null = null;

  add(piece: ItemPiece): string {
    const known = this.contents.get(piece.part);
    if (piece.type === 'foreign') known?.additions.push(piece);
    if (piece.type !== 'text' && piece.type !== 'refusal') return '';
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
    this.current = { type, place, delta, text: '', logprobs: [], additions: [] };
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
    const { type, text, place, logprobs, additions } = this.current;
    const part = partOf(this.current);
    this.current = null;
    const cited = annotations(text, additions).map((annotation, annotation_index) =>
      this.inside('response.output_text.annotation.added', { ...place, annotation_index, annotation }),
    );
    const done =
      type === 'text'
        ? this.inside('response.output_text.done', { ...place, text, logprobs: logprobs.flatMap(logprob) })
        : this.inside('response.refusal.done', { ...place, refusal: text });
    return cited.join('') + done + this.inside('response.content_part.done', { ...place, part });
  }

  protected joins({ type }: ItemPiece): boolean {
    return type === 'text' || type === 'refusal';
  }

  protected shape(status: ItemStatus): JsonObject {
    const content = status === 'in_progress' ? [] : [...this.contents.values()].map(partOf);
    return message(content, status);
  }
}

const partOf = ({ type, text, logprobs, additions }: Content): JsonObject =>
  type === 'text' ? outputText(text, logprobs, additions) : refusal(text);
