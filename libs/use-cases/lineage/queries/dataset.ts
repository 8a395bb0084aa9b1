import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { VersionRequest } from '#domain/dataset/index.js';
import type { PageRequest } from '#log/projector/documents.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { FollowedRows } from '../followed-rows.js';
import { graphOfDataset } from '../graph.js';
import type { DatasetLineage } from '../lineage.js';
import { Origins } from '../origins.js';

const MAX_MERGED = 100;

interface FollowedDataset {
  readonly name: string;
  readonly version: VersionRequest;
  /** Of the jobs. */
  readonly page: PageRequest;
}

export class FollowDataset extends CallerQuery<FollowedDataset, DatasetLineage> {}

/** Follows the rows of a version through later merges, jobs and names, by the log. */
@QueryHandler(FollowDataset)
export class FollowDatasetHandler implements IQueryHandler<FollowDataset, DatasetLineage> {
  constructor(
    private readonly followed: FollowedRows,
    private readonly origins: Origins,
  ) {}

  /** @throws NotFoundError no such version in the workspace; deleted ones are found by number */
  async execute({ caller: { workspaceId }, input: { name, version, page } }: FollowDataset): Promise<DatasetLineage> {
    const { dataset } = await this.origins.find(workspaceId, name, version);
    const start = { versionId: dataset.version_id, after: dataset.origin.event.position };
    const { merged, jobs } = await this.followed.follow(workspaceId, start);
    const lineage = {
      dataset,
      merged_into: merged.slice(0, MAX_MERGED).map(({ rows: _, ...version }) => version),
      ...(await this.followed.learners(workspaceId, jobs, page)),
    };
    return { ...lineage, graph: graphOfDataset(lineage) };
  }
}
