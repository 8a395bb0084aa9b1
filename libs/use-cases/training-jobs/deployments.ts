import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { LiveRunners } from '#calls/backends/runner/live-runners.js';

/**
 * - `not_deployed`: before its first call, and before any runner loads it
 * - `warming_up`: its first runner is loading it
 * - `ready`: a runner has loaded it for a warm-up or a call, and its first call is still to come
 * - `deployed`: it has served a call; a runner that does not have it now loads it for the next one
 * - `failed`: its weights could not be loaded when a call last needed them; calls are 409 until they can be
 */
export const DEPLOYMENT_STATUSES = ['not_deployed', 'warming_up', 'ready', 'deployed', 'failed'] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

/** Loaded models, known from the runners' heartbeats alone. The log knows which ones have served a call. */
@Injectable()
export class Deployments implements OnApplicationShutdown {
  private readonly runners: LiveRunners;

  constructor(application: Application) {
    this.runners = new LiveRunners(application.ports.bus);
  }

  statusOf({ id, status }: Pick<TrainingJobDocument, 'id' | 'status'>): DeploymentStatus {
    if (status !== 'complete' && status !== 'deployed') return 'not_deployed';
    const state = this.runners.adapterState(id);
    if (state === 'loading') return 'warming_up';
    if (state === 'failed') return 'failed';
    if (status === 'deployed') return 'deployed';
    return state === 'loaded' ? 'ready' : 'not_deployed';
  }

  async onApplicationShutdown(): Promise<void> {
    await this.runners.close();
  }
}
