import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { LossCause, TrainingJobEvent } from '#domain/training-job/index.js';
import type { RecordedEvent } from '#event-store/port.js';

/** Jobs or evaluations of one kind that have not ended, and whose turn it is. */
export interface OpenWork {
  /** By id, in the order in which they were asked for. */
  readonly items: ReadonlyMap<string, OpenItem>;
  /** The workspaces whose attempts were claimed last, the latest at the end. */
  readonly served: readonly string[];
}

export const NO_WORK: OpenWork = { items: new Map(), served: [] };

/** Workspaces served before these count as never served. */
const MAX_SERVED = 1_000;

export interface OpenItem {
  readonly id: string;
  readonly workspaceId: string;
  /** The attempt to be claimed, or that is claimed. */
  readonly attempt: number;
  /** Who claimed it, null while nobody has. */
  readonly runnerId: string | null;
  /** The attempt is not offered before this time, in milliseconds since 1970. */
  readonly notBefore: number;
}

export const OPEN_TRAINING_EVENTS = [
  'training-job-requested.v1',
  'training-attempt-claimed.v1',
  'training-attempt-lost.v1',
  'training-job-completed.v1',
  'training-job-failed.v1',
  'training-job-cancelled.v1',
  'training-job-deleted.v1',
] as const;

export const OPEN_EVALUATION_EVENTS = [
  'evaluation-requested.v1',
  'evaluation-attempt-claimed.v1',
  'evaluation-attempt-lost.v1',
  'evaluation-completed.v1',
  'evaluation-failed.v1',
  'evaluation-deleted.v1',
] as const;

type OpenEvent = Extract<
  TrainingJobEvent | EvaluationEvent,
  { type: (typeof OPEN_TRAINING_EVENTS)[number] | (typeof OPEN_EVALUATION_EVENTS)[number] }
>;

/** The open work after an event, of either kind: a manager is given one kind's events only. */
export function evolveOpenWork(open: OpenWork, recorded: RecordedEvent): OpenWork {
  const event = recorded as unknown as OpenEvent;
  const id = 'jobId' in event.data ? event.data.jobId : event.data.evaluationId;
  const item = open.items.get(id);
  switch (event.type) {
    case 'training-job-requested.v1':
    case 'evaluation-requested.v1': {
      const { workspaceId } = event.data;
      return withItem(open, { id, workspaceId, attempt: 1, runnerId: null, notBefore: 0 });
    }
    case 'training-attempt-claimed.v1':
    case 'evaluation-attempt-claimed.v1':
      if (!item) return open;
      return {
        ...withItem(open, { ...item, runnerId: event.data.runnerId }),
        served: [...open.served.filter((each) => each !== item.workspaceId), item.workspaceId].slice(-MAX_SERVED),
      };
    case 'training-attempt-lost.v1':
    case 'evaluation-attempt-lost.v1': {
      const { attempt, lostAt } = event.data;
      const notBefore = Date.parse(lostAt) + pauseAfter(event.data);
      return item ? withItem(open, { ...item, attempt: attempt + 1, runnerId: null, notBefore }) : open;
    }
    case 'training-job-completed.v1':
    case 'training-job-failed.v1':
    case 'training-job-cancelled.v1':
    case 'training-job-deleted.v1':
    case 'evaluation-completed.v1':
    case 'evaluation-failed.v1':
    case 'evaluation-deleted.v1': {
      if (!item) return open;
      const items = new Map(open.items);
      items.delete(id);
      return { ...open, items };
    }
  }
}

const withItem = (open: OpenWork, item: OpenItem): OpenWork => ({
  ...open,
  items: new Map(open.items).set(item.id, item),
});

const FIRST_PAUSE_MS = { runner: 1_000, storage: 5_000 };
const MAX_PAUSE_MS = 600_000;
/** Attempts that are made again at once, though their runner was lost: a restart is no reason to wait. */
const AT_ONCE = 8;

/**
 * How long the next attempt waits. Attempts lost to their own process are few, and follow one another at once; those lost to
 * the runner may be many, and what ends every runner must not keep them all from other work.
 */
function pauseAfter({ attempt, cause }: { readonly attempt: number; readonly cause?: LossCause }): number {
  const losses = cause === 'runner' ? attempt - AT_ONCE : attempt;
  if (cause === undefined || cause === 'child' || losses <= 0) return 0;
  return Math.min(FIRST_PAUSE_MS[cause] * 2 ** (losses - 1), MAX_PAUSE_MS);
}
