import type { Position } from '../port.js';

export interface Damage {
  readonly position: Position | null;
  readonly problem: string;
}

/** A step of a check: a page of the log. */
export interface CheckedPage {
  readonly damage: readonly Damage[];
  /** The position up to which the log is checked now. */
  readonly next: number;
  readonly head: number;
  readonly events: number;
  readonly unchecked: number;
  readonly last: boolean;
}
