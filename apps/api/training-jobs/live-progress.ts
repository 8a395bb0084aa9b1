import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Subscription } from '#ports/bus/port.js';
import { RUNNER_HEARTBEAT, type Heartbeat } from '#gpu-runner/contract/work.js';

/** Progress of running jobs between epochs, as last reported by runners; in memory only. */
@Injectable()
export class LiveProgress implements OnApplicationShutdown {
  private readonly byRunner = new Map<string, Heartbeat>();
  private readonly subscription: Subscription;

  constructor(application: Application) {
    this.subscription = application.ports.bus.listen(RUNNER_HEARTBEAT, (body) => {
      const beat = body as unknown as Heartbeat;
      this.byRunner.set(beat.name, beat);
    });
  }

  /** Progress, 0 to 1; null if no runner has reported this attempt. */
  fractionOf(jobId: string, attempt: number): number | null {
    for (const { working } of this.byRunner.values())
      for (const each of working)
        if (each.kind === 'training' && each.id === jobId && each.attempt === attempt) return each.progress.fraction;
    return null;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription.stop();
  }
}
