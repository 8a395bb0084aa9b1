import type { EventToStore } from './tables.js';

/** A power failure, a new chunk: after each start the log goes on well behind where it ended. */
const GAP_AT_START = 1_300_021;

/** Positions are like byte offsets: they rise by what a record takes, and never by the same twice running. */
export class Positions {
  private next: number;

  /** @param last the last position of the log, null for a new one */
  constructor(last: number | null) {
    this.next = last === null ? 0 : last + GAP_AT_START + (last % 4_099);
  }

  take(stream: string, event: EventToStore): number {
    const position = this.next;
    const length =
      SHORTEST_RECORD + 2 * (stream.length + event.type.length) + event.data.length + event.metadata.length;
    this.next += length + (position % 61);
    return position;
  }

  /** The place of the next record. A transaction that was rolled back leaves its places unused. */
  get end(): number {
    return this.next;
  }
}

/** Bytes that any record takes at least. */
export const SHORTEST_RECORD = 137;
