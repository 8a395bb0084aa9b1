import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Application } from '#application/application.js';
import { INFERENCE_HEARTBEAT, type InferenceHeartbeat } from '#gpu-runner/contract/inference.js';
import { RUNNER_HEARTBEAT, type Heartbeat } from '#gpu-runner/contract/work.js';
import type { Subscription } from '#ports/bus/port.js';

/** A runner that has been silent for so long counts as absent. */
const PRESENT_MS = 5_000;
/** Silence after which a runner is forgotten. */
const FORGET_MS = 24 * 60 * 60_000;

interface Heard {
  at: number;
  work: Heartbeat | null;
  serving: InferenceHeartbeat | null;
}

/** A runner by its last heartbeats. */
export interface HeardRunner {
  readonly name: string;
  readonly isPresent: boolean;
  /** Milliseconds since the last one. */
  readonly silentMs: number;
  /** null: none was heard yet. */
  readonly work: Heartbeat | null;
  /** null: it serves no models now. */
  readonly serving: InferenceHeartbeat | null;
}

/** The runners heard by this process: their work, the models they can run, and those they have loaded. */
@Injectable()
export class RunnersHeard implements OnApplicationShutdown {
  private readonly heard = new Map<string, Heard>();
  private readonly subscriptions: readonly Subscription[];

  constructor({ ports: { bus } }: Application) {
    this.subscriptions = [
      bus.listen(RUNNER_HEARTBEAT, (body) => {
        const work = body as unknown as Heartbeat;
        this.of(work.name).work = work;
      }),
      bus.listen(INFERENCE_HEARTBEAT, (body) => {
        const serving = body as unknown as InferenceHeartbeat;
        this.of(serving.name).serving = serving.leaving ? null : serving;
      }),
    ];
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
  }

  /** By name. */
  list(): readonly HeardRunner[] {
    const now = performance.now();
    for (const [name, { at }] of this.heard) if (now - at > FORGET_MS) this.heard.delete(name);
    return [...this.heard]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { at, work, serving }]) => {
        const silentMs = now - at;
        return { name, isPresent: silentMs < PRESENT_MS, silentMs, work, serving };
      });
  }

  private of(name: string): Heard {
    const heard = this.heard.get(name) ?? { at: 0, work: null, serving: null };
    heard.at = performance.now();
    this.heard.set(name, heard);
    return heard;
  }
}
