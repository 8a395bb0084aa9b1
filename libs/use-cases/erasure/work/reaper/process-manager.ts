import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { evaluationDecider, type EvaluationEvent } from '#domain/evaluation/index.js';
import { trainingJobDecider, type TrainingJobEvent } from '#domain/training-job/index.js';
import type { Handlers, Recorded } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { removeStored, type Owner } from './stored.js';

/** Deleted items that may still have stored data, by kind and id. */
type Unerased = ReadonlyMap<string, Remains>;

interface Remains extends Owner {
  readonly workspaceId: string | null;
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
}

/**
 * A process that was writing when the deletion came has been told to stop, and has been killed, long before. Until then
 * its writes are removed as they come; even later ones are removed when they are reported.
 */
export const SETTLED_MS = 120_000;

/**
 * Removes the stored data of deleted jobs and evaluations: weights, checkpoints, log lines, predictions. It rescans
 * until nothing new has appeared for long enough, and records that in the log; until then each new leader continues.
 */
export function reaper(
  application: Application,
  now: () => number = Date.now,
): ProcessManager<Unerased, Remains, TrainingJobEvent | EvaluationEvent> {
  return {
    name: 'reaper',
    initial: new Map(),
    on: UNERASED,
    pending: (unerased) => [...unerased.values()],
    key: keyOf,
    async execute(remains) {
      const found = await removeStored(application.ports, remains);
      if (!found && now() - remains.deletedAt >= SETTLED_MS) await markErased(application, remains);
    },
  };
}

const UNERASED: Handlers<Unerased, TrainingJobEvent | EvaluationEvent> = {
  'training-job-deleted.v1': deleted,
  'training-job-erased.v1': erased,
  'evaluation-deleted.v1': deleted,
  'evaluation-erased.v1': erased,
};

type Deleted = Extract<TrainingJobEvent | EvaluationEvent, { readonly data: { readonly deletedAt: string } }>;

function deleted(unerased: Unerased, event: Recorded<Deleted>): Unerased {
  const { workspaceId } = event.metadata;
  const remains = { ...ownerOf(event), workspaceId, deletedAt: Date.parse(event.data.deletedAt) };
  return new Map(unerased).set(keyOf(remains), remains);
}

function erased(unerased: Unerased, event: TrainingJobEvent | EvaluationEvent): Unerased {
  const rest = new Map(unerased);
  rest.delete(keyOf(ownerOf(event)));
  return rest;
}

async function markErased(application: Application, { kind, id, workspaceId }: Remains): Promise<void> {
  const context = systemContext('reaper', workspaceId, derivedId(`${kind}/${id}`, 'erased'));
  if (kind === 'job')
    await application.execute(trainingJobDecider, id, { type: 'mark-job-erased', jobId: id }, context);
  else await application.execute(evaluationDecider, id, { type: 'mark-evaluation-erased', evaluationId: id }, context);
}

const ownerOf = ({ data }: TrainingJobEvent | EvaluationEvent): Owner =>
  'jobId' in data ? { kind: 'job', id: data.jobId } : { kind: 'evaluation', id: data.evaluationId };

const keyOf = ({ kind, id }: Owner): string => `${kind}/${id}`;
