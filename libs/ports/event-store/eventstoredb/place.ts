import type { Position, SubscriptionMessage } from '../port.js';

/** The progress of a subscription. */
export class SubscriptionPlace {
  /** Every matching event up to here has been delivered. */
  resume: Position | null;
  /** The last place that the consumer was given. */
  private told: Position | null;
  /** The last known own event. Records of the server may follow, which are not reported as places. */
  private known: Position | null;

  constructor(after: Position | null) {
    this.resume = this.told = this.known = after;
  }

  has(position: Position): boolean {
    return this.resume !== null && position <= this.resume;
  }

  pass(position: Position | null): void {
    this.resume = later(this.resume, position);
  }

  /** Records an own event. */
  know(position: Position | null): void {
    this.known = later(this.known, position);
  }

  tell(position: Position): void {
    this.told = position;
  }

  /** Whether `resume` is past the last known own event. */
  get beyondKnown(): boolean {
    return this.resume !== null && (this.known === null || this.resume > this.known);
  }

  /** A checkpoint, unless the consumer knows the place already. */
  *checkpoint(): Generator<SubscriptionMessage> {
    const position = this.beyondKnown ? this.known : this.resume;
    if (position === null || (this.told !== null && position <= this.told)) return;
    this.told = position;
    yield { kind: 'checkpoint', position };
  }
}

const later = (a: Position | null, b: Position | null): Position | null =>
  b !== null && (a === null || b > a) ? b : a;
