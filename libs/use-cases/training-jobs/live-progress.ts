import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Subscription } from '#ports/bus/port.js';
import { canRun, loose, type Needs } from '#gpu-runner/contract/needs.js';
import { RUNNER_HEARTBEAT, type Heartbeat, type WorkKind } from '#gpu-runner/contract/work.js';

/** Five heartbeats. */
const LIVE_MS = 5_000;

/** Progress of running jobs between epochs, and what runners can run, as they last reported; in memory only. */
@Injectable()
export class LiveProgress implements OnApplicationShutdown {
  private readonly byRunner = new Map<string, Heartbeat>();
  private readonly heardAt = new Map<string, number>();
  private readonly since = performance.now();
  private readonly subscription: Subscription;

  constructor(application: Application) {
    this.subscription = application.ports.bus.listen(RUNNER_HEARTBEAT, (body) => {
      const beat = body as unknown as Heartbeat;
      this.byRunner.set(beat.name, beat);
      this.heardAt.set(beat.name, performance.now());
    });
  }

  /** Progress, 0 to 1; null if no runner has reported this attempt. @param attempt absent: whichever runs */
  fractionOf(kind: WorkKind, id: string, attempt?: number): number | null {
    for (const { working } of this.byRunner.values())
      for (const each of working)
        if (each.kind === kind && each.id === id && each.attempt === (attempt ?? each.attempt))
          return each.progress.fraction;
    return null;
  }

  /**
   * Why no runner can run such an attempt; null if one can, even if it is busy, and until runners had time to report.
   */
  lacking(needs: Needs): string | null {
    const now = performance.now();
    const live = [...this.byRunner.values()].filter(({ name }) => now - this.heardAt.get(name)! < LIVE_MS);
    if (live.some(({ engines }) => engines === undefined || canRun(engines, loose(needs)))) return null;
    if (live.length > 0)
      return `No runner has engine ${needs.engine.name} with base model ${needs.baseModel.id}: it begins when one comes that has`;
    return now - this.since < LIVE_MS ? null : 'No runner is there: it begins when one comes';
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription.stop();
  }
}
