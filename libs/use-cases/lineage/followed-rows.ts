import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { DatasetEvent } from '#domain/dataset/index.js';
import type { ModelEvent } from '#domain/model/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import { pageByNumber } from '#projections/inferences/queries.js';
import type { PageRequest } from '#log/projector/documents.js';
import { cite, LogReader, type EventCitation, type Recorded } from '../events/log-reader.js';
import { weightsOf, type Training } from './training.js';

/** A version that rows were merged into. */
export interface DerivedRows {
  readonly version_id: string;
  readonly name: string;
  readonly version: number;
  /** Ids of the versions followed that its rows come from. */
  readonly from: readonly string[];
  /** Numbers of the followed row there; null if unknown: a merge with feedback may have replaced it with a correction. */
  readonly rows: readonly number[] | null;
  readonly event: EventCitation;
}

/** A job that learned from rows. */
export interface Learner extends Learned {
  readonly weights: Training['weights'];
  /** Recorded calls that it answered. */
  readonly answers: number;
  /** The route of their list. */
  readonly calls: string;
}

interface Learned {
  readonly job_id: string;
  readonly model_name: string;
  /** How it received the rows. */
  readonly through: 'direct' | 'merge' | 'fine-tune';
  /** Ids of the versions followed that it learned from. */
  readonly from_versions: readonly string[];
  /** The job followed that it started from. */
  readonly from_job: string | null;
  readonly event: EventCitation;
  /** Named versions of its model. */
  readonly model_versions: { readonly name: string; readonly version: number; readonly event: EventCitation }[];
}

type Followed = Recorded<DatasetEvent | TrainingJobEvent | ModelEvent>;

interface Start {
  readonly versionId: string;
  /** Absent: all rows. */
  readonly row?: number;
  /** The first event of the version. */
  readonly after: string;
}

/** Follows rows through later merges, jobs and names, by the log. */
@Injectable()
export class FollowedRows {
  constructor(
    private readonly application: Application,
    private readonly log: LogReader,
  ) {}

  /**
   * Passes once over the few types of events that hand rows on, from the version's first event: a giver comes before its taker.
   */
  async follow(workspaceId: string, { versionId, row, after }: Start) {
    /** Numbers of the row; null: the row's number, if it is there, is unknown. */
    const versions = new Map<string, readonly number[] | null>([[versionId, row === undefined ? null : [row]]]);
    const merged: DerivedRows[] = [];
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
        // A correction may replace a row.
        versions.set(data.versionId, null);
        const from = [data.mergedWith.versionId];
        const version = { version_id: data.versionId, name: data.name, version: data.versionNumber };
        merged.push({ ...version, from, rows: null, event });
      } else if (type === 'dataset-version-merge-requested.v1') {
        const from = followed(data.sources);
        if (from.length === 0) continue;
        const rows = numbersIn(data.sources, versions);
        versions.set(data.versionId, rows);
        const version = await this.numberOf(recorded.stream, recorded.revision, data.versionId);
        if (version) merged.push({ ...version, from, rows, event });
      } else if (type === 'training-job-requested.v1') {
        const from_versions = followed(data.datasets);
        const from_job = data.startFrom && jobs.has(data.startFrom.jobId) ? data.startFrom.jobId : null;
        if (from_versions.length === 0 && from_job === null) continue;
        const through: Learned['through'] = from_versions.includes(versionId)
          ? 'direct'
          : from_versions.length > 0
            ? 'merge'
            : 'fine-tune';
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

  /** A page of the jobs that learned from the rows. */
  async learners(workspaceId: string, jobs: readonly Learned[], { limit, offset }: PageRequest) {
    const page = jobs.slice(offset, offset + limit).map((job) => this.learner(workspaceId, job));
    return { jobs: await Promise.all(page), total: jobs.length, limit, offset };
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

/** The rows of the sources are consecutive. */
function numbersIn(
  sources: readonly { readonly versionId: string; readonly rows: number }[],
  versions: ReadonlyMap<string, readonly number[] | null>,
): readonly number[] | null {
  const numbers: number[] = [];
  let before = 0;
  for (const { versionId, rows } of sources) {
    const own = versions.has(versionId) ? versions.get(versionId)! : [];
    if (own === null) return null;
    numbers.push(...own.map((number) => before + number));
    before += rows;
  }
  return numbers;
}
