import { Injectable } from '@nestjs/common';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { Deployments } from './deployments.js';
import { LiveProgress } from './live-progress.js';
import type { Told } from './record.js';

/** What the runners' heartbeats say of a job now. */
@Injectable()
export class ToldByRunners {
  constructor(
    private readonly progress: LiveProgress,
    private readonly deployments: Deployments,
  ) {}

  of(job: TrainingJobDocument): Told {
    return {
      fraction: this.progress.fractionOf(job.id, job.attempt),
      deployment: this.deployments.statusOf(job),
    };
  }
}
