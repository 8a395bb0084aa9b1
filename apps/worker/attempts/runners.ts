import type { Bus, Subscription } from '#bus/port.js';
import {
  parseRunnerId,
  RUNNER_HEARTBEAT,
  type AttemptRef,
  type Heartbeat,
  type WorkKind,
} from '#gpu-runner/protocol.js';
import type { RunnersSeen } from './pending.js';

/** A runner that has not been heard for so long gets no offers. */
const PRESENT_MS = 5_000;
/** An offer that led to no claim for so long is made again. */
const OFFER_AGAIN_MS = 5_000;

const MANY = 1_000;
const FORGET_MS = 600_000;

interface Heard {
  readonly beat: Heartbeat;
  readonly at: number;
}

/** The runners, by their heartbeats, on this process's monotonic clock. Starts anew with each process. */
export class Runners implements RunnersSeen {
  private readonly heard = new Map<string, Heard>();
  /** Boots that another has followed under the same name: they are not heard again. */
  private readonly gone = new Set<string>();
  private readonly lastSeen = new Map<string, number>();
  private readonly offered = new Map<string, number>();
  private readonly subscription: Subscription | null;

  /** @param clock milliseconds that only rise */
  constructor(
    bus: Bus | null,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.subscription = bus?.listen(RUNNER_HEARTBEAT, (body) => this.hear(body as unknown as Heartbeat)) ?? null;
  }

  hear(beat: Heartbeat): void {
    const known = this.heard.get(beat.name)?.beat;
    if (this.gone.has(beat.bootId)) return;
    if (known && known.bootId !== beat.bootId) this.gone.add(known.bootId);
    const now = this.clock();
    this.heard.set(beat.name, { beat, at: now });
    for (const { kind, id, attempt } of beat.working) this.lastSeen.set(keyOf(kind, { id, attempt }), now);
    this.forgetOld(now);
  }

  /** Remembers an offer, so that it is not made again at once. */
  markOffered(kind: WorkKind, ref: AttemptRef): void {
    this.offered.set(keyOf(kind, ref), this.clock());
  }

  present(): readonly Heartbeat[] {
    const now = this.clock();
    return [...this.heard.values()].filter(({ at }) => now - at < PRESENT_MS).map(({ beat }) => beat);
  }

  /** Every runner ever heard, and how long ago that was. */
  lastHeard(): readonly { readonly beat: Heartbeat; readonly agoMs: number }[] {
    const now = this.clock();
    return [...this.heard.values()].map(({ beat, at }) => ({ beat, agoMs: now - at }));
  }

  silentFor(kind: WorkKind, ref: AttemptRef): number {
    const now = this.clock();
    const key = keyOf(kind, ref);
    const since = this.lastSeen.get(key);
    if (since === undefined) this.lastSeen.set(key, now);
    return now - (since ?? now);
  }

  replaced(runnerId: string): boolean {
    const { name, bootId } = parseRunnerId(runnerId);
    const heard = this.heard.get(name);
    return heard !== undefined && heard.beat.bootId !== bootId;
  }

  offeredLately(kind: WorkKind, ref: AttemptRef): boolean {
    const at = this.offered.get(keyOf(kind, ref));
    return at !== undefined && this.clock() - at < OFFER_AGAIN_MS;
  }

  /** Attempts that nobody has asked about or told of for long have ended. */
  private forgetOld(now: number): void {
    for (const times of [this.lastSeen, this.offered])
      if (times.size > MANY) for (const [key, at] of times) if (now - at > FORGET_MS) times.delete(key);
  }

  async close(): Promise<void> {
    await this.subscription?.stop();
  }
}

const keyOf = (kind: WorkKind, { id, attempt }: AttemptRef): string => `${kind}/${id}/${attempt}`;
