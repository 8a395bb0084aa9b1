import { Injectable } from '@nestjs/common';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { Deployments } from './deployments.js';
import { LiveProgress } from './live-progress.js';
import type { Told } from './record.js';

/** Reads jobs' state from the runners' heartbeats. */
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
