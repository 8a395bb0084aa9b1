import type { ObjectStore } from '#ports/object-store/port.js';

/**
 * A stored object as a Blob, for libraries that accept nothing else. Read lazily and in pieces; only a request for all
 * its bytes loads it whole.
 */
export class StoredBlob extends Blob {
  constructor(
    private readonly store: ObjectStore,
    private readonly key: string,
    private readonly start: number,
    private readonly end: number,
  ) {
    super([]);
    Object.defineProperty(this, 'size', { value: end - start });
  }

  override slice(start = 0, end = this.size): StoredBlob {
    const place = (at: number) => this.start + Math.min(this.size, at < 0 ? Math.max(0, this.size + at) : at);
    const from = place(start);
    return new StoredBlob(this.store, this.key, from, Math.max(from, place(end)));
  }

  override stream(): ReturnType<Blob['stream']> {
    return ReadableStream.from(this.content()) as ReturnType<Blob['stream']>;
  }

  override async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const chunks = await Array.fromAsync(this.content());
    return new Uint8Array(Buffer.concat(chunks));
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  override async text(): Promise<string> {
    return Buffer.from(await this.bytes()).toString('utf8');
  }

  private async *content(): AsyncGenerator<Uint8Array> {
    if (this.size > 0) yield* await this.store.get(this.key, { start: this.start, end: this.end });
  }
}
