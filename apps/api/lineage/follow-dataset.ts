import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider, type DatasetEvent, type VersionRequest } from '#domain/dataset/index.js';
import { NotFoundError } from '#domain/errors.js';
import type { ModelEvent } from '#domain/model/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import { pageByNumber } from '#projections/inferences/queries.js';
import { CallerQuery } from '../messages.js';
import type { DatasetLineage, DatasetLineageQuery } from './dto.js';
import { graphOfDataset } from './graph.js';
import { cite, LogReader, type Recorded } from '../events/log-reader.js';
import { Origins } from './origins.js';
import { weightsOf } from './training.js';

const MAX_MERGED = 100;

interface FollowedDataset {
  readonly name: string;
  readonly version: VersionRequest;
  readonly page: DatasetLineageQuery;
}

export class FollowDataset extends CallerQuery<FollowedDataset, DatasetLineage> {}

type Learner = DatasetLineage['jobs'][number];
type Learned = Omit<Learner, 'weights' | 'model_versions' | 'answers' | 'calls'> & {
  readonly model_versions: Learner['model_versions'][number][];
};
type Followed = Recorded<DatasetEvent | TrainingJobEvent | ModelEvent>;

/** Follows the rows of a version through later merges, jobs and names, by the log. */
@QueryHandler(FollowDataset)
export class FollowDatasetHandler implements IQueryHandler<FollowDataset, DatasetLineage> {
  constructor(
    private readonly application: Application,
    private readonly log: LogReader,
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
    const { merged, jobs } = await this.follow(workspaceId, dataset.version_id, dataset.origin.event.position);
    const { limit, offset } = page;
    const shown = {
      dataset,
      merged_into: merged.slice(0, MAX_MERGED),
      jobs: await Promise.all(jobs.slice(offset, offset + limit).map((job) => this.learner(workspaceId, job))),
    };
    return { ...shown, total: jobs.length, limit, offset, graph: graphOfDataset(shown) };
  }

  /**
   * Passes once over the few types of events that hand rows on, from the version's first event: a giver comes before its taker.
   */
  private async follow(workspaceId: string, versionId: string, after: string) {
    const versions = new Set([versionId]);
    const merged: DatasetLineage['merged_into'][number][] = [];
    const jobs = new Map<string, Learned>();
    const followed = (some: readonly { readonly versionId: string }[]) =>
      some.map((version) => version.versionId).filter((id) => versions.has(id));
    const filter = {
      types: [
        ...['dataset-version-initialized.v1', 'dataset-version-merge-requested.v1'],
        ...['training-job-requested.v1', 'model-version-added.v1'],
      ],
    };
    for await (const recorded of this.application.ports.eventStore.readAll({ after, filter })) {
      if (recorded.metadata.workspaceId !== workspaceId) continue;
      const { type, data } = recorded as unknown as Followed;
      const event = cite(recorded);
      if (type === 'dataset-version-initialized.v1') {
        if (!data.mergedWith || !versions.has(data.mergedWith.versionId)) continue;
        versions.add(data.versionId);
        const from = [data.mergedWith.versionId];
        merged.push({ version_id: data.versionId, name: data.name, version: data.versionNumber, from, event });
      } else if (type === 'dataset-version-merge-requested.v1') {
        const from = followed(data.sources);
        if (from.length === 0) continue;
        versions.add(data.versionId);
        const version = await this.numberOf(recorded.stream, recorded.revision, data.versionId);
        if (version) merged.push({ ...version, from, event });
      } else if (type === 'training-job-requested.v1') {
        const from_versions = followed(data.datasets);
        const from_job = data.startFrom && jobs.has(data.startFrom.jobId) ? data.startFrom.jobId : null;
        if (from_versions.length === 0 && from_job === null) continue;
        const through = from_versions.includes(versionId) ? 'direct' : from_versions.length > 0 ? 'merge' : 'fine-tune';
        const job = { job_id: data.jobId, model_name: data.modelName, through, from_versions, from_job };
        jobs.set(data.jobId, { ...job, event, model_versions: [] });
      } else if (type === 'model-version-added.v1' && data.trainingJobId !== null)
        jobs.get(data.trainingJobId)?.model_versions.push({ name: data.name, version: data.version, event });
    }
    return { merged, jobs: [...jobs.values()] };
  }

  /** A merge is requested directly after its version was initialized. */
  private async numberOf(stream: string, revision: number, versionId: string) {
    const options = { fromRevision: revision - 1, limit: 1 };
    const [made] = await Array.fromAsync(this.application.ports.eventStore.readStream(stream, options));
    const { type, data } = made as unknown as Recorded<DatasetEvent>;
    if (type !== 'dataset-version-initialized.v1' || data.versionId !== versionId) return null;
    return { version_id: versionId, name: data.name, version: data.versionNumber };
  }

  private async learner(workspaceId: string, job: Learned): Promise<Learner> {
    const isEnd = ({ type }: Recorded<TrainingJobEvent>) => type === 'training-job-completed.v1';
    const ended = await this.log.events<TrainingJobEvent>(workspaceId, ['job', job.job_id], isEnd);
    const scope = { where: { workspaceId, trainingJobId: job.job_id }, ordinal: 'nJob' } as const;
    const place = { limit: 1, offset: 0, before: null };
    const { total } = await pageByNumber(this.application.ports.readStore, scope, place);
    return {
      ...job,
      weights: weightsOf(ended),
      answers: total,
      calls: `/inferences?training_job_id=${job.job_id}`,
    };
  }
}
