import type { Application } from '#application/application.js';
import { answerFrom, documentsAsOf, type AsOfRequest } from '#application/as-of.js';
import { BENCHMARKS, datasetStreamId } from '#application/datasets.js';
import { may, type Caller } from '#application/caller.js';
import { withoutQuotes, type DatasetVersion, type VersionRequest } from '#domain/dataset/index.js';
import { NotFoundError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import { datasetVersions, type DatasetVersionDocument } from '#projections/dataset-versions/projection.js';
import { versionsNamed } from '#projections/dataset-versions/queries.js';

/** A version by the name of its dataset. */
export interface NamedVersion {
  readonly name: string;
  readonly version: VersionRequest;
}

/** The versions that the workspace is shown under a name: its own dataset's, else a benchmark's. */
export async function versionsOf(
  application: Application,
  workspaceId: string,
  name: string,
  asOf: AsOfRequest | null = null,
): Promise<readonly DatasetVersionDocument[]> {
  for (const owner of [workspaceId, BENCHMARKS]) {
    const versions = await (asOf
      ? versionsAsOf(application, owner, name, asOf)
      : versionsNamed(application.ports.readStore, owner, name));
    if (versions.length > 0) return versions;
  }
  throw new NotFoundError('dataset', name, undefined, asOf?.given);
}

const WITHHELD = 'for a reason that may quote rows; the permission `content` shows it';

/** The version as its workspace shows it to this caller. */
export const shownTo = <Version extends DatasetVersion>(caller: Caller, version: Version): Version =>
  may(caller, 'content') ? version : withoutQuotes(version, WITHHELD);

/** As `versionsNamed`, of the dataset's stream. */
async function versionsAsOf(
  application: Application,
  workspaceId: string,
  name: string,
  asOf: AsOfRequest,
): Promise<readonly DatasetVersionDocument[]> {
  const stream = streamName('dataset', datasetStreamId(workspaceId, name));
  const past = await documentsAsOf(application, datasetVersions, { stream, workspaceId }, asOf.point);
  const versions = [...(past?.documents.values() ?? [])].flatMap((version) =>
    version === null || version.deleted ? [] : [version],
  );
  if (past && versions.length > 0) answerFrom(past, asOf);
  return versions.toSorted((a, b) => b.versionNumber - a.versionNumber);
}
