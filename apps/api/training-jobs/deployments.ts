import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { LiveRunners } from '#calls/backends/runner/live-runners.js';

/**
 * `not_deployed` until the first call that its adapter serves, `deployed` from then on; `warming_up` while runners load it and none
 * has it.
 */
export const DEPLOYMENT_STATUSES = ['not_deployed', 'warming_up', 'deployed'] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

/** Loaded models, known from the runners' heartbeats alone. The log knows which ones should be served. */
@Injectable()
export class Deployments implements OnApplicationShutdown {
  private readonly runners: LiveRunners;

  constructor(application: Application) {
    this.runners = new LiveRunners(application.ports.bus);
  }

  statusOf({ id, status }: Pick<TrainingJobDocument, 'id' | 'status'>): DeploymentStatus {
    if (status !== 'complete' && status !== 'deployed') return 'not_deployed';
    if (this.runners.isWarmingUp(id)) return 'warming_up';
    return status === 'deployed' ? 'deployed' : 'not_deployed';
  }

  async onApplicationShutdown(): Promise<void> {
    await this.runners.close();
  }
}
