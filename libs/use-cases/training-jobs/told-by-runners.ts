import { Injectable } from '@nestjs/common';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { needsOfTraining } from '#gpu-runner/contract/needs.js';
import { Deployments, type DeploymentStatus } from './deployments.js';
import { LiveProgress } from './live-progress.js';

/** The runners' latest report about a job. */
export interface Told {
  /** Progress, 0 to 1; null until a runner has reported it. */
  readonly fraction: number | null;
  readonly deployment: DeploymentStatus;
  /** Why no runner can begin it; null if one can, or has. */
  readonly waitingReason: string | null;
}

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
