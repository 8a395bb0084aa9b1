import type { JsonObject } from '#domain/json.js';
import { reasoning, summaryText, type ItemStatus } from './output.js';
import { StreamedItem, type ItemPiece } from './streamed-item.js';

/** Streams thinking as a summary of one part; redacted thinking is not shown. */
export class StreamedReasoning extends StreamedItem {
  protected readonly type = 'reasoning';
  private text = '';
  private signature: string | null = null;
  private redacted = false;
  private readonly delta = this.deltas('response.reasoning_summary_text.delta', SUMMARY);

  add(piece: ItemPiece): string {
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
