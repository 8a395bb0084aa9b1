import type { Application } from '#application/application.js';
import { purgeLeftovers } from '#application/storage/index.js';
import { batchDecider } from '#domain/batch/index.js';
import type { CallContentErased } from '#domain/erasure/index.js';
import { evaluationDecider } from '#domain/evaluation/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import type { UserErased } from '#domain/user/index.js';
import type { LedWork } from '#log/leadership/index.js';
import { removeStored, type Owner } from './stored.js';

const EVERY_MS = 24 * 60 * 60_000;
const AFTER_FAILURE_MS = 10 * 60_000;

/**
 * Scans all folders once a day, and as soon as a worker leads, for those of jobs and evaluations that were deleted or erased: a runner may
 * have stored something long after, and died before it could report it. Folders unknown to the log are left alone: the
 * log may be incomplete, as after a restore.
 */
export const startSweeps = (application: Application): LedWork =>
  application.background.repeat('sweep-objects', (signal) => sweep(application, signal), {
    ...{ everyMs: EVERY_MS, retryMs: AFTER_FAILURE_MS, maxRetryMs: EVERY_MS },
  });

/** Removes what deleted jobs and evaluations, purged dataset versions, ended batches and erased calls have left. @throws the signal's reason */
export async function sweep(application: Application, signal: AbortSignal): Promise<void> {
  for await (const owner of owners(application)) {
    signal.throwIfAborted();
    if (await isErased(application, owner)) await removeStored(application.ports, owner);
  }
  await removeLinesOfEnded(application, signal);
  await removeErased(application, signal);
  await purgeLeftovers(application, signal);
}

/** Removes answers kept for batches that have ended: the worker died between the end and the removal. */
async function removeLinesOfEnded(application: Application, signal: AbortSignal): Promise<void> {
  for await (const batchId of folders(application, 'batches/')) {
    signal.throwIfAborted();
    const { status } = await application.load(batchDecider, batchId);
    if (status === 'ended') await application.ports.objectStore.deletePrefix(`batches/${batchId}/`);
  }
}

/** Removes contents and keys that were erased: the process died between the decision and the removal. */
async function removeErased({ ports, contentKeys, background }: Application, signal: AbortSignal): Promise<void> {
  const filter = {
    types: [
      ...['call-content-erased.v1', 'feedback-texts-erased.v1', 'user-erased.v1', 'evaluation-deleted.v1'],
      ...['evaluation-predictions-erased.v1', 'generation-job-erased.v1'],
    ],
  };
  let restored = 0;
  for await (const { data } of ports.eventStore.readAll({ filter })) {
    signal.throwIfAborted();
    if (typeof data['objectKey'] === 'string') await ports.objectStore.delete(data['objectKey']);
    const { keys = [] } = data as Partial<CallContentErased['data'] | UserErased>;
    if (await contentKeys?.destroy(keys.map(({ id }) => id))) restored += 1;
    // An older copy of the keys that was put back has it again.
    if (typeof data['evaluationId'] === 'string')
      await contentKeys?.destroyNamed(`evaluations/${data['evaluationId']}`);
  }
  if (restored > 0)
    background.failed(
      'keep-keys-destroyed',
      new Error(
        `keys of ${restored} erasures existed, as after a kill during one or when an older copy of keys/ was put back: they are destroyed again`,
      ),
    );
}

/** Yields the owner of each folder once. */
async function* owners(application: Application): AsyncIterable<Owner> {
  for (const [kind, prefix] of [
    ['job', 'jobs/'],
    ['evaluation', 'evaluations/'],
  ] as const)
    for await (const id of folders(application, prefix)) yield { kind, id };
}

/** Yields the names of the folders below a prefix, each once: keys arrive in order. */
async function* folders({ ports }: Application, prefix: string): AsyncIterable<string> {
  let last = '';
  for await (const { key } of ports.objectStore.list(prefix)) {
    const id = key.split('/', 2)[1] ?? '';
    if (id !== '' && id !== last) yield id;
    last = id;
  }
}

async function isErased(application: Application, { kind, id }: Owner): Promise<boolean> {
  if (kind === 'job') return (await application.load(trainingJobDecider, id)).status === 'deleted';
  const evaluation = await application.load(evaluationDecider, id);
  return evaluation.status === 'deleted' || 'predictionsErasedAt' in evaluation;
}
