const NEWLINE = 0x0a;

/** Cuts bytes that arrive in any pieces into lines, without their line breaks; the last one may lack it. */
export class LineSplitter {
  private pieces: Buffer[] = [];

  /** Bytes held of a line whose break has not come. */
  get unfinished(): number {
    return this.pieces.reduce((sum, { length }) => sum + length, 0);
  }

  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      lines.push(this.pieces.length === 0 ? piece : Buffer.concat([...this.pieces, piece]));
      this.pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) this.pieces.push(chunk.subarray(start));
    return lines;
  }

  end(): Buffer[] {
    const line = Buffer.concat(this.pieces);
    this.pieces = [];
    return line.length > 0 ? [line] : [];
  }
}

/** The lines of a content that have any. @throws the signal's reason */
export async function* linesOf(content: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const splitter = new LineSplitter();
  for await (const chunk of content) {
    signal?.throwIfAborted();
    yield* splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)).filter(hasContent);
  }
  yield* splitter.end().filter(hasContent);
}

const hasContent = (line: Buffer): boolean => line.length > 0;
