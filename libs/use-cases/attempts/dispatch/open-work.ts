import type { EvaluationEvent, EvaluationRequest } from '#domain/evaluation/index.js';
import { EXPORT_FORMATS, exportIdOf, type ModelExportEvent } from '#domain/model-export/index.js';
import type { LossCause, TrainingJobEvent } from '#domain/training-job/index.js';
import { needsOfEvaluation, needsOfExport, needsOfTraining, type Needs } from '#gpu-runner/contract/needs.js';
import type { QueueDepth } from '#log/process-manager/process-manager.js';
import type { EventMetadata } from '#ports/event-store/port.js';
import type { Handlers } from '#log/projector/handlers.js';

/** Jobs, evaluations or exports that have not ended, and whose turn it is. */
export interface OpenWork {
  /** Items by id, in order of request. */
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
  /** null: any runner can run it. */
  readonly needs: Needs | null;
  /** The attempt to be claimed, or that is claimed. */
  readonly attempt: number;
  /** Id of the runner that claimed it; null if none. */
  readonly runnerId: string | null;
  /** The attempt is not offered before this time, in milliseconds since 1970. */
  readonly notBefore: number;
  /** When it was requested, or lost its last runner, in milliseconds since 1970. */
  readonly waitingSince: number;
  /** W3C trace context of what requested it. Absent: no trace was recorded. */
  readonly traceparent?: string;
  /** The system asked for it, and it waits for what users asked for. Absent: a user did. */
  readonly isAutomatic?: true;
}

/** Items of all workspaces, by whether a runner has claimed them. */
export function queueOf({ items }: OpenWork): QueueDepth {
  const waiting = [...items.values()].filter(({ runnerId }) => runnerId === null);
  const asked = waiting.filter(({ isAutomatic }) => isAutomatic !== true);
  return {
    waiting: waiting.length,
    taken: items.size - waiting.length,
    oldestAt: asked.length > 0 ? Math.min(...asked.map(({ waitingSince }) => waitingSince)) : null,
  };
}

export const OPEN_TRAINING: Handlers<OpenWork, TrainingJobEvent> = {
  'training-job-requested.v1': (open, { data, metadata }) =>
    requested(open, data.jobId, data.workspaceId, needsOfTraining(data), metadata),
  'training-attempt-claimed.v1': (open, { data }) => claimed(open, data.jobId, data.runnerId),
  'training-attempt-lost.v2': (open, { data }) => lost(open, data.jobId, data),
  'training-job-completed.v1': (open, { data }) => ended(open, data.jobId),
  'training-job-failed.v1': (open, { data }) => ended(open, data.jobId),
  'training-job-cancelled.v1': (open, { data }) => ended(open, data.jobId),
  'training-job-deleted.v1': (open, { data }) => ended(open, data.jobId),
};

export const OPEN_EVALUATIONS: Handlers<OpenWork, EvaluationEvent> = {
  // A worker has a hosted model answer first.
  'evaluation-requested.v1': (open, { data, metadata }) =>
    data.hosted ? open : withItem(open, evaluationOf(data, metadata)),
  'evaluation-answered.v1': (open, { data: { evaluationId, attempt, awaitsJudge }, metadata }) =>
    awaitsJudge ? ended(open, evaluationId) : continued(open, evaluationId, metadata, attempt),
  'evaluation-judged.v1': (open, { data: { evaluationId, attempt }, metadata }) =>
    continued(open, evaluationId, metadata, attempt),
  'evaluation-attempt-claimed.v1': (open, { data }) => claimed(open, data.evaluationId, data.runnerId),
  'evaluation-attempt-lost.v1': (open, { data }) => lost(open, data.evaluationId, data),
  'evaluation-completed.v1': (open, { data }) => ended(open, data.evaluationId),
  'evaluation-failed.v1': (open, { data }) => ended(open, data.evaluationId),
  'evaluation-deleted.v1': (open, { data }) => ended(open, data.evaluationId),
};

export const OPEN_EXPORTS: Handlers<OpenWork, ModelExportEvent | TrainingJobEvent> = {
  'model-export-requested.v1': (open, { data, metadata }) =>
    requested(open, data.exportId, data.workspaceId, needsOfExport(data), metadata, data.attempt),
  'model-export-attempt-claimed.v1': (open, { data }) => claimed(open, data.exportId, data.runnerId),
  'model-export-attempt-lost.v1': (open, { data }) => lost(open, data.exportId, data),
  'model-export-completed.v1': (open, { data }) => ended(open, data.exportId),
  'model-export-failed.v1': (open, { data }) => ended(open, data.exportId),
  'training-job-deleted.v1': (open, { data }) =>
    EXPORT_FORMATS.reduce((rest, format) => ended(rest, exportIdOf(data.jobId, format)), open),
};

const evaluationOf = (request: EvaluationRequest, metadata: EventMetadata): OpenItem => ({
  ...{ id: request.evaluationId, workspaceId: request.workspaceId, needs: needsOfEvaluation(request) },
  ...{ attempt: 1, runnerId: null, notBefore: 0, ...asOf(metadata) },
  ...(request.automatic && { isAutomatic: true }),
});

const requested = (
  open: OpenWork,
  id: string,
  workspaceId: string,
  needs: Needs | null,
  metadata: EventMetadata,
  attempt = 1,
): OpenWork => withItem(open, { id, workspaceId, needs, attempt, runnerId: null, notBefore: 0, ...asOf(metadata) });

/** Any runner computes figures from stored answers. */
const continued = (open: OpenWork, id: string, metadata: EventMetadata, attempt: number): OpenWork =>
  metadata.workspaceId === null ? open : requested(open, id, metadata.workspaceId, null, metadata, attempt + 1);

const asOf = ({ occurredAt, traceparent }: EventMetadata): Pick<OpenItem, 'waitingSince' | 'traceparent'> => ({
  waitingSince: Date.parse(occurredAt),
  ...(traceparent !== undefined && { traceparent }),
});

function claimed(open: OpenWork, id: string, runnerId: string): OpenWork {
  const item = open.items.get(id);
  if (!item) return open;
  return {
    ...withItem(open, { ...item, runnerId }),
    served: [...open.served.filter((each) => each !== item.workspaceId), item.workspaceId].slice(-MAX_SERVED),
  };
}

function lost(open: OpenWork, id: string, loss: Loss): OpenWork {
  const item = open.items.get(id);
  if (!item) return open;
  const waitingSince = Date.parse(loss.lostAt);
  const notBefore = waitingSince + pauseAfter(loss);
  return withItem(open, { ...item, attempt: loss.attempt + 1, runnerId: null, notBefore, waitingSince });
}

function ended(open: OpenWork, id: string): OpenWork {
  if (!open.items.has(id)) return open;
  const items = new Map(open.items);
  items.delete(id);
  return { ...open, items };
}

const withItem = (open: OpenWork, item: OpenItem): OpenWork => ({
  ...open,
  items: new Map(open.items).set(item.id, item),
});

interface Loss {
  readonly attempt: number;
  readonly cause: LossCause;
  readonly lostAt: string;
}

const FIRST_PAUSE_MS = { runner: 1_000, storage: 5_000 };
const MAX_PAUSE_MS = 600_000;
/** Attempts repeated immediately although their runner was lost: a restart needs no pause. */
const MAX_IMMEDIATE = 8;

/**
 * Milliseconds before the next attempt. Attempts lost to their own process are few and repeat immediately. Those lost
 * to a runner may be many, and a job that kills every runner must not keep them all from other work.
 */
function pauseAfter({ attempt, cause }: Loss): number {
  const losses = cause === 'runner' ? attempt - MAX_IMMEDIATE : attempt;
  if (cause === 'child' || losses <= 0) return 0;
  return Math.min(FIRST_PAUSE_MS[cause] * 2 ** (losses - 1), MAX_PAUSE_MS);
}
