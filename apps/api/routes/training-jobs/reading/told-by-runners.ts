import { Injectable } from '@nestjs/common';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { needsOfTraining } from '#gpu-runner/contract/needs.js';
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
      waitingReason: job.status === 'requested' ? this.progress.lacking(needsOfTraining(job)) : null,
      fraction: this.progress.fractionOf('training', job.id, job.attempt),
      deployment: this.deployments.statusOf(job),
    };
  }
}
