import { ConflictError } from '../errors.js';
import type { HoldScope } from './events.js';
import type { RetentionState } from './state.js';

export type HeldCall = {
  readonly kind: 'call';
  readonly id: string;
  /** The ids by which its model may be named. */
  readonly models: readonly (string | null)[];
};

export type HeldVersion = { readonly kind: 'dataset'; readonly name: string; readonly version: number };

const covers = ({ kind, id, version }: HoldScope, what: HeldCall | HeldVersion): boolean => {
  switch (kind) {
    case 'workspace':
      return true;
    case 'calls':
      return what.kind === 'call';
    case 'call':
      return what.kind === 'call' && what.id === id;
    case 'model':
      return what.kind === 'call' && what.models.includes(id);
    case 'datasets':
      return what.kind === 'dataset';
    case 'dataset':
      return what.kind === 'dataset' && what.name === id && (version === null || version === what.version);
  }
};

/** The first hold that covers something; undefined for none. */
export const holdOn = ({ holds }: RetentionState, what: HeldCall | HeldVersion) =>
  holds.find((hold) => covers(hold.covers, what));

/** A hold forbids an erasure. */
export class HeldError extends ConflictError {}

/** @throws HeldError naming the hold that covers it */
export function requireNoHold(state: RetentionState, what: HeldCall | HeldVersion): void {
  const hold = holdOn(state, what);
  if (hold === undefined) return;
  const named =
    what.kind === 'call' ? `inference ${what.id}` : `version ${what.version} of dataset ${JSON.stringify(what.name)}`;
  throw new HeldError(`${named} is under hold ${hold.holdId}; it can be erased once that is released`);
}
