import { ConflictError } from '../errors.js';
import type { HoldScope } from './events.js';
import type { RetentionState } from './state.js';

/** A call's content, or the feedback on it. */
type HeldCall = {
  readonly kind: 'call' | 'feedback';
  /** The call's. */
  readonly id: string;
  /** The ids by which its model may be named. */
  readonly models: readonly (string | null)[];
};

type HeldVersion = { readonly kind: 'dataset'; readonly name: string; readonly version: number };

/** The log lines of a training job. */
type HeldJobLog = { readonly kind: 'job_log'; readonly id: string };

/** The texts and rows of a generation job that no dataset version has. */
type HeldGeneration = { readonly kind: 'generation'; readonly id: string };

/** The rows and answers of an evaluation. */
type HeldEvaluation = { readonly kind: 'evaluation'; readonly id: string };

export type Held = HeldCall | HeldJobLog | HeldVersion | HeldGeneration | HeldEvaluation;

const isOfCall = (what: Held): what is HeldCall => what.kind === 'call' || what.kind === 'feedback';

const covers = ({ kind, id, version }: HoldScope, what: Held): boolean => {
  switch (kind) {
    case 'workspace':
      return true;
    case 'calls':
      return isOfCall(what);
    case 'call':
      return isOfCall(what) && what.id === id;
    case 'model':
      return isOfCall(what) && what.models.includes(id);
    case 'feedback':
      return what.kind === 'feedback';
    case 'job_logs':
      return what.kind === 'job_log';
    case 'job':
      return what.kind === 'job_log' && what.id === id;
    case 'datasets':
      return what.kind === 'dataset' || what.kind === 'generation';
    case 'dataset':
      return what.kind === 'dataset' && what.name === id && (version === null || version === what.version);
    case 'evaluations':
      return what.kind === 'evaluation';
    case 'evaluation':
      return what.kind === 'evaluation' && what.id === id;
  }
};

/** The first hold that covers the data; undefined if none does. */
export const holdOn = ({ holds }: RetentionState, what: Held) => holds.find((hold) => covers(hold.covers, what));

/** A hold forbids an erasure. */
export class HeldError extends ConflictError {}

/** @throws HeldError naming the hold that covers it */
export function requireNoHold(state: RetentionState, what: Held): void {
  const hold = holdOn(state, what);
  if (hold === undefined) return;
  throw new HeldError(`${named(what)} is under hold ${hold.holdId}; it can be erased once that is released`);
}

function named(what: Held): string {
  switch (what.kind) {
    case 'call':
      return `inference ${what.id}`;
    case 'feedback':
      return `the feedback on inference ${what.id}`;
    case 'job_log':
      return `the log of training job ${what.id}`;
    case 'generation':
      return `generation job ${what.id}`;
    case 'dataset':
      return `version ${what.version} of dataset ${JSON.stringify(what.name)}`;
    case 'evaluation':
      return `evaluation ${what.id}`;
  }
}
