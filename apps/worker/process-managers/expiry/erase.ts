import type { Application } from '#application/application.js';
import { systemContext } from '#application/context.js';
import { datasetStreamId } from '#application/datasets.js';
import { eraseCall, eraseVersion } from '#application/erasure.js';
import { derivedId } from '#application/execute.js';
import { ConflictError } from '#domain/errors.js';
import { expiryDecider, expiryId } from '#domain/expiry/index.js';
import { HeldError, type RetentionKind } from '#domain/retention/index.js';
import { datasetVersionDocuments } from '#projections/dataset-versions/queries.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';

/** A day's pass over the contents of a kind in a workspace. */
export interface Pass {
  readonly workspaceId: string;
  readonly kind: RetentionKind;
  /** UTC: `2030-01-02`. */
  readonly day: string;
  /** Contents made before this time have expired. */
  readonly before: string;
}

/** Calls that are in memory at once. */
const PAGE = 100;

/** Erases one content. @returns whether it was there */
type Erasure = () => Promise<boolean>;

/** Erases what has expired, and records how much that was. @throws the signal's reason */
export async function erase(application: Application, pass: Pass, signal: AbortSignal): Promise<void> {
  const counts = { erased: 0, held: 0, inUse: 0 };
  for await (const each of pass.kind === 'calls' ? calls(application, pass) : versions(application, pass)) {
    signal.throwIfAborted();
    try {
      if (await each()) counts.erased += 1;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      counts[error instanceof HeldError ? 'held' : 'inUse'] += 1;
    }
  }
  const id = expiryId(pass);
  const context = systemContext('expiry', pass.workspaceId, derivedId(id, pass.kind));
  await application.execute(expiryDecider, id, { type: 'record-expiry', ...pass, ...counts }, context);
}

const contextOf = (workspaceId: string, id: string) => systemContext('expiry', workspaceId, derivedId(id, 'expired'));

/** A content that the log has unencrypted is hidden: only an encrypted one can be erased there. */
async function* calls(application: Application, { workspaceId, before }: Pass): AsyncGenerator<Erasure> {
  for (let from = 1; ;) {
    const found = (await inferenceDocuments.find(application.ports.readStore, {
      where: { workspaceId },
      range: { field: 'n', from },
      filter: { where: { erasedAt: null }, ranges: [{ field: 'createdAt', to: before }] },
      order: { field: 'n', direction: 'ascending' },
      limit: PAGE,
    })) as readonly InferenceDocument[];
    for (const call of found)
      yield () => eraseCall(application, call, contextOf(workspaceId, call.id), true).then(() => true);
    if (found.length < PAGE) return;
    from = found.at(-1)!.n! + 1;
  }
}

async function* versions(application: Application, { workspaceId, before }: Pass): AsyncGenerator<Erasure> {
  const found = await datasetVersionDocuments.all(application.ports.readStore, {
    where: { workspaceId, deleted: [false, true] },
  });
  for (const { versionId, name, createdAt } of found) {
    if (createdAt > before) continue;
    const version = { workspaceId, stream: datasetStreamId(workspaceId, name), versionId };
    yield () => eraseVersion(application, version, contextOf(workspaceId, versionId));
  }
}
