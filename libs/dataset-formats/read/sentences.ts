import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';

/** Gathers tagged tokens as rows `{"tokens", "ner_tags"}`, a line of JSON for each sentence. */
export class Sentences {
  private lines: Buffer[] = [];
  private held = 0;
  private rows = 0;
  private tokens: string[] = [];
  private tags: string[] = [];
  private length = 0;

  /** @param end what to know about the end of a sentence, for a sentence that is too long */
  constructor(
    private readonly limits: FileLimits,
    private readonly ending: string,
  ) {}

  /** Bytes of the rows that `take` returns. */
  get bytes(): number {
    return this.held;
  }

  take(): Buffer {
    const taken = Buffer.concat(this.lines, this.held);
    this.lines = [];
    this.held = 0;
    return taken;
  }

  /** @param tag undefined: the token has none @throws UnreadableFileError */
  add(token: string, tag: string | undefined): void {
    this.tokens.push(token);
    if (tag !== undefined) this.tags.push(tag);
    this.length += token.length + (tag?.length ?? 0);
    if (this.length > this.limits.rowBytes) throw this.tooLong();
  }

  end(): void {
    if (this.tokens.length === 0) return;
    const line = Buffer.from(`${JSON.stringify({ tokens: this.tokens, ner_tags: this.tags })}\n`);
    this.lines.push(line);
    this.held += line.length;
    this.rows += 1;
    this.tokens = [];
    this.tags = [];
    this.length = 0;
  }

  tooLong(): UnreadableFileError {
    return new UnreadableFileError(
      `row ${this.rows + 1} is longer than ${inBytes(this.limits.rowBytes)}, the most that one row may be; ${this.ending}`,
    );
  }
}
