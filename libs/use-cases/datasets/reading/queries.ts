import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { documentsAsOf } from '#application/as-of.js';
import { BENCHMARKS, datasetStreamId } from '#application/datasets.js';
import { storedRows } from '#rows/formats/index.js';
import { readableVersion, type ReadyVersion, type VersionRequest } from '#domain/dataset/index.js';
import { NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { streamName } from '#domain/streams.js';
import { datasetVersions, type DatasetVersionDocument } from '#projections/dataset-versions/projection.js';
import { versionsByIds, versionsNamed } from '#projections/dataset-versions/queries.js';
import { pageOfDatasets } from '#projections/datasets/queries.js';
import { MAX_PAGE_BYTES } from '#apps/api/edge/answer-budget.js';
import type { AsOfRequest } from '#application/as-of.js';
import { answerFrom } from '#application/as-of.js';
import { CallerQuery, ResourceQuery } from '../../messages.js';
import { requireProject } from '../../projects/require-project.js';
import type { DatasetListQuery } from '#apps/api/routes/datasets/versions/dto.js';
import { requireWholeRows } from './whole-rows.js';

interface ListedVersion {
  readonly version: DatasetVersionDocument;
  readonly versionCount: number;
}

interface Listed {
  readonly listed: readonly ListedVersion[];
  readonly total: number;
}

export class ListDatasets extends CallerQuery<DatasetListQuery, Listed> {}

@QueryHandler(ListDatasets)
export class ListDatasetsHandler implements IQueryHandler<ListDatasets> {
  constructor(private readonly application: Application) {}

  /**
   * The newest version of each name (failed ones only on request), newest first. Benchmarks, which have no project,
   * follow the workspace's own.
   */
  async execute({ caller: { workspaceId }, input: query }: ListDatasets): Promise<Listed> {
    await requireProject(this.application, workspaceId, query.project_id);
    const { limit, offset } = query;
    const own = await this.page(workspaceId, query, limit, offset);
    if (query.project_id !== undefined) return own;
    const left = limit - Math.min(limit, Math.max(0, own.total - offset));
    const benchmarks = await this.page(BENCHMARKS, query, left, Math.max(0, offset - own.total));
    return { listed: [...own.listed, ...benchmarks.listed], total: own.total + benchmarks.total };
  }

  private async page(workspaceId: string, query: DatasetListQuery, limit: number, offset: number): Promise<Listed> {
    const { readStore } = this.application.ports;
    const view = query.include_failed ? 'newest' : 'shown';
    const filter = { datasetType: query.dataset_type, projectId: query.project_id };
    const { documents, total } = await pageOfDatasets(readStore, workspaceId, view, filter, { limit, offset });
    const ids = documents.map(({ versionId }) => versionId);
    const versions = await versionsByIds(readStore, ids);
    const listed = documents.flatMap(({ versionId, versionCount }) => {
      const version = versions.get(versionId);
      return version ? [{ version, versionCount }] : [];
    });
    return { listed, total };
  }
}

export class ListVersions extends ResourceQuery<string, readonly DatasetVersionDocument[]> {}

@QueryHandler(ListVersions)
export class ListVersionsHandler implements IQueryHandler<ListVersions> {
  constructor(private readonly application: Application) {}

  /** Newest first. @throws NotFoundError */
  execute({ caller, input: name, asOf }: ListVersions): Promise<readonly DatasetVersionDocument[]> {
    return versionsOf(this.application, caller.workspaceId, name, asOf);
  }
}

interface NamedVersion {
  readonly name: string;
  readonly version: VersionRequest;
}

export class GetVersion extends ResourceQuery<NamedVersion, DatasetVersionDocument> {}

@QueryHandler(GetVersion)
export class GetVersionHandler implements IQueryHandler<GetVersion> {
  constructor(private readonly application: Application) {}

  /**
   * `latest` is the highest number, in any state.
   * @throws NotFoundError
   */
  async execute({ caller, input: { name, version }, asOf }: GetVersion): Promise<DatasetVersionDocument> {
    const versions = await versionsOf(this.application, caller.workspaceId, name, asOf);
    const found = version === 'latest' ? versions[0] : versions.find((each) => each.versionNumber === version);
    if (!found) throw new NotFoundError('dataset version', `${name}/${version}`, undefined, asOf?.given);
    return found;
  }
}

/** The version whose content is to be read; `latest` is the newest ready one. */
export class GetReadableVersion extends Query<ReadyVersion> {
  constructor(
    readonly workspaceId: string,
    readonly name: string,
    readonly requested: VersionRequest,
  ) {
    super();
  }
}

@QueryHandler(GetReadableVersion)
export class GetReadableVersionHandler implements IQueryHandler<GetReadableVersion> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError naming the state */
  async execute({ workspaceId, name, requested }: GetReadableVersion): Promise<ReadyVersion> {
    return readableVersion(await versionsOf(this.application, workspaceId, name), name, requested);
  }
}

export class PreviewRows extends Query<readonly JsonObject[]> {
  constructor(
    readonly version: ReadyVersion,
    readonly limit: number,
    readonly offset: number,
  ) {
    super();
  }
}

@QueryHandler(PreviewRows)
export class PreviewRowsHandler implements IQueryHandler<PreviewRows> {
  constructor(private readonly application: Application) {}

  /** @throws DamagedError */
  async execute({ version, limit, offset }: PreviewRows): Promise<readonly JsonObject[]> {
    const rows: JsonObject[] = [];
    let characters = 0;
    await requireWholeRows(this.application.ports.objectStore, version);
    if (offset >= version.contents.rows) return rows;
    for await (const row of storedRows(this.application.ports.objectStore, version.object.key, offset)) {
      rows.push(row);
      characters += JSON.stringify(row).length;
      if (rows.length === limit || characters > MAX_PAGE_BYTES) break;
    }
    return rows;
  }
}

/** The versions that the workspace sees under a name: its own dataset's, else a benchmark's. */
async function versionsOf(
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
