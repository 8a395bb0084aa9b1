import { Injectable } from '@nestjs/common';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import { Actors } from './actors.js';
import { LogReader, type Recorded } from '../events/log-reader.js';
import { Origins, type VersionId, type VersionLineage } from './origins.js';
import { trainingOf, type Training } from './training.js';

/** Jobs that start from one another, and dataset versions, that one answer lists. */
const MAX_LISTED = 100;

/** Finds the trainings and datasets that a trained model learned from. */
@Injectable()
export class LearnedFrom {
  constructor(
    private readonly log: LogReader,
    private readonly actors: Actors,
    private readonly origins: Origins,
  ) {}

  /** The job, and each that it started from. */
  async trainings(workspaceId: string, jobId: string | null) {
    const training: Training[] = [];
    let next = jobId;
    while (next !== null && training.length < MAX_LISTED) {
      const events = await this.log.events<TrainingJobEvent>(workspaceId, ['job', next], isTold);
      const job = await trainingOf(workspaceId, events, this.actors);
      if (!job) break;
      training.push(job);
      next = job.started_from?.job_id ?? null;
    }
    return { training, isCut: training.length === MAX_LISTED && next !== null };
  }

  /** The versions that jobs learned from, and those that they were merged from. */
  async datasets(workspaceId: string, training: readonly Training[]) {
    const listed: VersionLineage[] = [];
    const wanted: VersionId[] = training.flatMap((job) => [...job.datasets]);
    const asked = new Set<string>();
    while (wanted.length > 0 && listed.length < MAX_LISTED) {
      const version = wanted.shift()!;
      if (asked.has(version.version_id)) continue;
      asked.add(version.version_id);
      const found = await this.origins.of(workspaceId, version);
      if (!found) continue;
      listed.push(found);
      wanted.push(...found.origin.merged_from);
    }
    return { listed, isCut: wanted.some(({ version_id }) => !asked.has(version_id)) };
  }
}

/** Epochs and checkpoints are a job's own affair. */
const isTold = ({ type }: Recorded<TrainingJobEvent>): boolean =>
  type === 'training-job-requested.v1' || type === 'training-job-completed.v1' || type === 'training-job-deleted.v1';
