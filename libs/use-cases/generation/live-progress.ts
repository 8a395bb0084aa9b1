import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Subscription } from '#ports/bus/port.js';
import { GENERATION_PROGRESS, type GenerationProgress } from '#rows/synthetic/progress.js';

const MAX_JOBS = 1_000;

/** Progress of generation jobs as last reported by workers; in memory only. */
@Injectable()
export class LiveGeneration implements OnApplicationShutdown {
  private readonly byJob = new Map<string, GenerationProgress>();
  private readonly subscription: Subscription;

  constructor(application: Application) {
    this.subscription = application.ports.bus.listen(GENERATION_PROGRESS, (body) => {
      const progress = body as unknown as GenerationProgress;
      if (this.byJob.size >= MAX_JOBS) this.byJob.clear();
      this.byJob.set(progress.jobId, progress);
    });
  }

  /** Progress, 0 to 1; 0 if this attempt is unknown. */
  fractionOf(jobId: string, attempt: number): number {
    const progress = this.byJob.get(jobId);
    return progress?.attempt === attempt ? progress.fraction : 0;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription.stop();
  }
}
