import { INDEX_STEP, type RowIndex } from '#rows/formats/index.js';

const NEWLINE = 0x0a;

/** Records the offset of each row whose number is a multiple of a step, in streamed canonical JSONL. */
export class RowIndexer {
  private readonly offsets: number[] = [];
  private rows = 0;
  private bytes = 0;
  /** The next byte begins a row. */
  private between = true;

  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      if (this.between && this.rows % INDEX_STEP === 0) this.offsets.push(this.bytes + at);
      const end = chunk.indexOf(NEWLINE, at);
      this.between = end >= 0;
      if (!this.between) break;
      this.rows += 1;
      at = end + 1;
    }
    this.bytes += chunk.length;
  }

  index(): RowIndex {
    return { step: INDEX_STEP, rows: this.rows, offsets: this.offsets };
  }
}
