import { costOf, WINDOW_BYTES } from './wire.js';

/** The sender's window: waits until the receiver has consumed some of it. */
export class Window {
  private waiting: PromiseWithResolvers<void> | null = null;

  constructor(private bytes = WINDOW_BYTES) {}

  /** @returns null when there is room now */
  room(): Promise<void> | null {
    if (this.bytes > 0) return null;
    this.waiting ??= Promise.withResolvers();
    return this.waiting.promise;
  }

  /** Takes credit for a message; may overdraw by one message. */
  take(payload: Uint8Array): void {
    this.bytes -= costOf(payload);
  }

  grant(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= 0) return;
    this.waiting?.resolve();
    this.waiting = null;
  }
}

/** Acknowledges used bytes to the sender in large portions. */
export class FlowCredits {
  private used = 0;

  constructor(private readonly give: (bytes: number) => void) {}

  use(cost: number): void {
    this.used += cost;
    if (this.used < WINDOW_BYTES / 2) return;
    this.give(this.used);
    this.used = 0;
  }
}

/** Joins pieces once the last one has arrived. */
export class Pieces {
  private pieces: Buffer[] = [];
  length = 0;

  add(piece: Buffer): void {
    this.pieces.push(piece);
    this.length += piece.length;
  }

  /** Joins the pieces with the last one and clears them. */
  joined(last: Buffer): Buffer {
    if (this.pieces.length === 0) return last;
    const whole = Buffer.concat([...this.pieces, last]);
    this.pieces = [];
    this.length = 0;
    return whole;
  }
}
