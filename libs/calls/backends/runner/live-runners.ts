import type { Bus, Subscription } from '#ports/bus/port.js';
import { INFERENCE_HEARTBEAT, type InferenceHeartbeat } from '#gpu-runner/contract/inference.js';
import { inOrderFor } from '#primitives/rendezvous.js';

/** Five heartbeats. A runner that died more recently is skipped when a call finds no server there. */
const LIVE_MS = 5_000;

/** States of an adapter that heartbeats report, the best first. */
const ADAPTER_STATES = ['loaded', 'loading', 'failed'] as const;
type AdapterState = (typeof ADAPTER_STATES)[number];

interface Heard {
  readonly at: number;
  readonly beat: InferenceHeartbeat;
}

/** The runners that serve, by their heartbeats, on this process's monotonic clock. */
export class LiveRunners {
  /** Heartbeats by runner name. */
  private readonly heard = new Map<string, Heard>();
  private readonly subscription: Subscription;

  /** @param clock milliseconds that only rise */
  constructor(
    bus: Bus,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.subscription = bus.listen(INFERENCE_HEARTBEAT, (body) => this.hear(body as unknown as InferenceHeartbeat));
  }

  /**
   * Names of the live runners, in the order in which calls of an adapter try them: when a runner comes or goes, only the adapters that
   * are its own move.
   * @param baseModelId of an adapter that generates text: only runners that have it
   */
  inOrderFor(adapterId: string, baseModelId?: string): readonly string[] {
    const live = this.live().filter((name) => baseModelId === undefined || this.generates(name, baseModelId));
    return live.length < 2 ? live : inOrderFor(adapterId, live, (name) => name);
  }

  /** Skips a runner that did not answer until its next heartbeat. */
  passBy(name: string): void {
    this.heard.delete(name);
  }

  /**
   * The best state of an adapter that any live runner reports, a load in progress above a failed one; null if none
   * reports it.
   */
  adapterState(adapterId: string): AdapterState | null {
    this.live();
    const beats = [...this.heard.values()].map(({ beat }) => beat);
    return ADAPTER_STATES.find((state) => beats.some(({ [state]: ids = [] }) => ids.includes(adapterId))) ?? null;
  }

  async close(): Promise<void> {
    await this.subscription.stop();
  }

  /** Nest calls it once no request is in flight. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private generates(name: string, baseModelId: string): boolean {
    return this.heard.get(name)?.beat.generates?.includes(baseModelId) ?? false;
  }

  private live(): string[] {
    const now = this.clock();
    for (const [name, { at }] of this.heard) if (now - at >= LIVE_MS) this.heard.delete(name);
    return [...this.heard.keys()];
  }

  private hear(beat: InferenceHeartbeat): void {
    if (beat.leaving) this.heard.delete(beat.name);
    else this.heard.set(beat.name, { at: this.clock(), beat });
  }
}
