import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { BENCHMARKS } from '#application/datasets.js';
import type { DatasetType } from '#domain/dataset/index.js';
import { NotFoundError } from '#domain/errors.js';
import type { PageRequest } from '#log/projector/documents.js';
import type { DatasetVersionDocument } from '#projections/dataset-versions/projection.js';
import { versionsByIds } from '#projections/dataset-versions/queries.js';
import { pageOfDatasets } from '#projections/datasets/queries.js';
import { CallerQuery, ResourceQuery } from '../../commands-and-queries.js';
import { requireProject } from '../../projects/require-project.js';
import { shownTo, versionsOf, type NamedVersion } from '../seen-versions.js';

interface ListedVersion {
  readonly version: DatasetVersionDocument;
  readonly versionCount: number;
}

interface Listed {
  readonly listed: readonly ListedVersion[];
  readonly total: number;
}

interface DatasetsRequest extends PageRequest {
  readonly dataset_type?: DatasetType;
  readonly project_id?: string;
  /** Also datasets whose newest version failed. */
  readonly include_failed?: boolean;
}

export class ListDatasets extends CallerQuery<DatasetsRequest, Listed> {}

@QueryHandler(ListDatasets)
export class ListDatasetsHandler implements IQueryHandler<ListDatasets> {
  constructor(private readonly application: Application) {}

  /**
   * The newest version of each name (failed ones only on request), newest first. Benchmarks, which have no project,
   * follow the workspace's own.
   */
  async execute({ caller, input: query }: ListDatasets): Promise<Listed> {
    const { listed, total } = await this.all(caller.workspaceId, query);
    return { listed: listed.map(({ version, ...rest }) => ({ ...rest, version: shownTo(caller, version) })), total };
  }

  private async all(workspaceId: string, query: DatasetsRequest): Promise<Listed> {
    await requireProject(this.application, workspaceId, query.project_id);
    const { limit, offset } = query;
    const own = await this.page(workspaceId, query, limit, offset);
    if (query.project_id !== undefined) return own;
    const left = limit - Math.min(limit, Math.max(0, own.total - offset));
    const benchmarks = await this.page(BENCHMARKS, query, left, Math.max(0, offset - own.total));
    return { listed: [...own.listed, ...benchmarks.listed], total: own.total + benchmarks.total };
  }

  private async page(workspaceId: string, query: DatasetsRequest, limit: number, offset: number): Promise<Listed> {
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
  async execute({ caller, input: name, asOf }: ListVersions): Promise<readonly DatasetVersionDocument[]> {
    const versions = await versionsOf(this.application, caller.workspaceId, name, asOf);
    return versions.map((version) => shownTo(caller, version));
  }
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
    return shownTo(caller, found);
  }
}
