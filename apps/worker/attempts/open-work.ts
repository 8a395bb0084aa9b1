import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import type { RecordedEvent } from '#event-store/port.js';

/** Jobs or evaluations that have not ended, in the order in which they were asked for. */
export type OpenWork = ReadonlyMap<string, OpenItem>;

export interface OpenItem {
  readonly id: string;
  readonly workspaceId: string;
  /** The attempt to be claimed, or that is claimed. */
  readonly attempt: number;
  /** Who claimed it, null while nobody has. */
  readonly runnerId: string | null;
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
  const item = open.get(id);
  switch (event.type) {
    case 'training-job-requested.v1':
    case 'evaluation-requested.v1':
      return new Map(open).set(id, { id, workspaceId: event.data.workspaceId, attempt: 1, runnerId: null });
    case 'training-attempt-claimed.v1':
    case 'evaluation-attempt-claimed.v1':
      return item ? new Map(open).set(id, { ...item, runnerId: event.data.runnerId }) : open;
    case 'training-attempt-lost.v1':
    case 'evaluation-attempt-lost.v1':
      return item ? new Map(open).set(id, { ...item, attempt: event.data.attempt + 1, runnerId: null }) : open;
    case 'training-job-completed.v1':
    case 'training-job-failed.v1':
    case 'training-job-cancelled.v1':
    case 'training-job-deleted.v1':
    case 'evaluation-completed.v1':
    case 'evaluation-failed.v1':
    case 'evaluation-deleted.v1': {
      if (!item) return open;
      const rest = new Map(open);
      rest.delete(id);
      return rest;
    }
  }
}
