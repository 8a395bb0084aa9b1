import type {
  Checkpoint,
  LossCause,
  StoredFolder,
  TrainingJobEvent,
  TrainingMetrics,
  TrainingRequest,
} from './events.js';

export type TrainingJobState =
  | { readonly status: 'none' }
  | RequestedJob
  | RunningJob
  | FinishedJob
  | FailedJob
  | CancelledJob
  | {
      readonly status: 'deleted';
      readonly request: TrainingRequest;
      readonly deletedAt: string;
      /** Whether everything stored has been removed. */
      readonly erased: boolean;
    };

interface Job {
  readonly request: TrainingRequest;
  readonly requestedAt: string;
  /** The attempt that may be claimed, or that is claimed; from 1. */
  readonly attempt: number;
  /** Id of the runner that has the attempt; null if none. */
  readonly runnerId: string | null;
  readonly lastEpoch: number;
  readonly checkpoints: readonly Checkpoint[];
  /** Attempts lost since the last checkpoint to their own process. */
  readonly lostInVain: number;
  /** When its log lines were erased; absent while they are kept. */
  readonly logErasedAt?: string;
}

interface RequestedJob extends Job {
  readonly status: 'requested';
}
export interface RunningJob extends Job {
  readonly status: 'running';
}
/** `deployed`: its adapter has served a call. */
export interface FinishedJob extends Job {
  readonly status: 'complete' | 'deployed';
  readonly artifact: StoredFolder;
  readonly metrics: TrainingMetrics;
}
interface FailedJob extends Job {
  readonly status: 'failed';
  readonly reason: string;
}
interface CancelledJob extends Job {
  readonly status: 'cancelled';
  readonly cancelledAt: string;
}

/** The checkpoint that the next attempt resumes from; null to start at the beginning. */
export const latestCheckpoint = (checkpoints: readonly Checkpoint[]): Checkpoint | null =>
  checkpoints.reduce<Checkpoint | null>((latest, each) => (latest && latest.step > each.step ? latest : each), null);

/** Whether losing an attempt for this cause counts against the job itself. */
export const isInVain = ({ cause }: { readonly cause: LossCause }): boolean => cause === 'child';

export function evolve(state: TrainingJobState, event: TrainingJobEvent): TrainingJobState {
  if (event.type === 'training-job-requested.v1') {
    const { requestedAt, ...request } = event.data;
    const attempts = { attempt: 1, runnerId: null, lastEpoch: 0, checkpoints: [], lostInVain: 0 };
    return { status: 'requested', request, requestedAt, ...attempts };
  }
  if (state.status === 'none') return state;
  if (state.status === 'deleted') return event.type === 'training-job-erased.v1' ? { ...state, erased: true } : state;
  switch (event.type) {
    case 'training-attempt-claimed.v1':
      return { ...state, status: 'running', runnerId: event.data.runnerId };
    case 'training-epoch-completed.v1':
      return { ...state, lastEpoch: event.data.epoch };
    case 'training-checkpoint-saved.v1': {
      const { jobId: _, savedAt: _at, ...checkpoint } = event.data;
      return { ...state, checkpoints: [...state.checkpoints, checkpoint], lostInVain: 0 };
    }
    case 'training-attempt-lost.v2':
      return {
        ...state,
        attempt: state.attempt + 1,
        runnerId: null,
        lostInVain: state.lostInVain + (isInVain(event.data) ? 1 : 0),
      };
    case 'training-job-completed.v1':
      return { ...state, status: 'complete', artifact: event.data.artifact, metrics: event.data.metrics };
    case 'training-job-failed.v1':
      return { ...state, status: 'failed', reason: event.data.reason };
    case 'training-job-cancelled.v1':
      return { ...state, status: 'cancelled', cancelledAt: event.data.cancelledAt };
    case 'training-job-deployed.v1':
      return state.status === 'complete' ? { ...state, status: 'deployed' } : state;
    case 'training-checkpoint-deleted.v1':
      return {
        ...state,
        checkpoints: state.checkpoints.filter((each) => each.checkpointId !== event.data.checkpointId),
      };
    case 'training-job-log-erased.v1':
      return { ...state, logErasedAt: event.data.erasedAt };
    case 'training-job-deleted.v1':
      return { status: 'deleted', request: state.request, deletedAt: event.data.deletedAt, erased: false };
    case 'training-job-erased.v1':
      return state;
  }
}
