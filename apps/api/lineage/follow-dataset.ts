import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider, type VersionRequest } from '#domain/dataset/index.js';
import { NotFoundError } from '#domain/errors.js';
import { CallerQuery } from '../messages.js';
import type { DatasetLineage, DatasetLineageQuery } from './dto.js';
import { FollowedRows } from './followed-rows.js';
import { graphOfDataset } from './graph.js';
import { Origins } from './origins.js';

const MAX_MERGED = 100;

interface FollowedDataset {
  readonly name: string;
  readonly version: VersionRequest;
  readonly page: DatasetLineageQuery;
}

export class FollowDataset extends CallerQuery<FollowedDataset, DatasetLineage> {}

/** Follows the rows of a version through later merges, jobs and names, by the log. */
@QueryHandler(FollowDataset)
export class FollowDatasetHandler implements IQueryHandler<FollowDataset, DatasetLineage> {
  constructor(
    private readonly application: Application,
    private readonly followed: FollowedRows,
    private readonly origins: Origins,
  ) {}

  /** @throws NotFoundError no such version in the workspace; deleted ones are found by number */
  async execute({ caller: { workspaceId }, input: { name, version, page } }: FollowDataset): Promise<DatasetLineage> {
    const { versions } = await this.application.load(datasetDecider, datasetStreamId(workspaceId, name));
    const found = versions.findLast(({ versionNumber, status }) =>
      version === 'latest' ? status === 'ready' : versionNumber === version,
    );
    const dataset = found && (await this.origins.of(workspaceId, { name, version_id: found.versionId }));
    if (!dataset) throw new NotFoundError('dataset version', `${name}/${version}`);
    const start = { versionId: dataset.version_id, after: dataset.origin.event.position };
    const { merged, jobs } = await this.followed.follow(workspaceId, start);
    const { limit, offset } = page;
    const shown = {
      dataset,
      merged_into: merged.slice(0, MAX_MERGED).map(({ rows: _, ...version }) => version),
      jobs: await Promise.all(jobs.slice(offset, offset + limit).map((job) => this.followed.learner(workspaceId, job))),
    };
    return { ...shown, total: jobs.length, limit, offset, graph: graphOfDataset(shown) };
  }
}
