import { randomUUID } from 'node:crypto';
import type { Bus, Subscription } from '#ports/bus/port.js';
import {
  parseRunnerId,
  RUNNER_HEARTBEAT,
  type AttemptRef,
  type Heartbeat,
  type WorkKind,
} from '#gpu-runner/contract/work.js';
import type { RunnersSeen } from './pending.js';

/** A runner that has been silent for so long gets no offers. */
const PRESENT_MS = 5_000;
/** An offer without a claim for so long is repeated. */
const OFFER_AGAIN_MS = 5_000;

/** Subject on which it signals to itself, the interval, and the silence after which it counts as deaf. */
const ECHO = 'worker.echo';
const ECHO_EVERY_MS = 1_000;
const DEAF_MS = 5_000;

const MANY = 1_000;
const FORGET_MS = 600_000;

interface Heard {
  readonly beat: Heartbeat;
  readonly at: number;
}

/**
 * The runners, by their heartbeats, on this process's monotonic clock. Each leader starts empty. It signals to itself
 * as well: silence of all, its own signals included, means that the bus is unreachable or this process was suspended,
 * and says nothing of the runners.
 */
export class Runners implements RunnersSeen {
  private readonly heard = new Map<string, Heard>();
  /** Boots that another has followed under the same name: their messages are ignored. */
  private readonly gone = new Set<string>();
  private readonly lastSeen = new Map<string, number>();
  private readonly offered = new Map<string, number>();
  private readonly subscriptions: readonly Subscription[];
  private readonly echo = randomUUID();
  private readonly calling: NodeJS.Timeout | undefined;
  private heardItselfAt: number;
  /** Start of the present period without a gap. */
  private hearingSince: number;

  /** @param clock milliseconds that only rise */
  constructor(
    private readonly bus: Pick<Bus, 'listen' | 'signal'>,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.hearingSince = this.heardItselfAt = clock();
    this.subscriptions = [
      bus.listen(RUNNER_HEARTBEAT, (body) => this.hear(body as unknown as Heartbeat)),
      bus.listen(ECHO, (body) => body === this.echo && this.hearItself()),
    ];
    this.calling = setInterval(() => this.callItself(), ECHO_EVERY_MS);
    this.calling.unref();
  }

  callItself(): void {
    this.bus.signal(ECHO, this.echo);
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

  /** Remembers an offer, so that it is not repeated immediately. */
  markOffered(kind: WorkKind, ref: AttemptRef): void {
    this.offered.set(keyOf(kind, ref), this.clock());
  }

  present(): readonly Heartbeat[] {
    return this.lastHeard().flatMap(({ beat, present }) => (present ? [beat] : []));
  }

  /** Every runner ever heard, and the time since its last message. */
  lastHeard(): readonly { readonly beat: Heartbeat; readonly agoMs: number; readonly present: boolean }[] {
    const now = this.clock();
    return [...this.heard.values()].map(({ beat, at }) => ({ beat, agoMs: now - at, present: now - at < PRESENT_MS }));
  }

  silentFor(kind: WorkKind, ref: AttemptRef): number {
    const now = this.clock();
    const key = keyOf(kind, ref);
    const since = this.lastSeen.get(key);
    if (since === undefined) this.lastSeen.set(key, now);
    const deaf = now - this.heardItselfAt >= DEAF_MS;
    return deaf ? 0 : now - Math.max(since ?? now, this.hearingSince);
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

  /** Forgets attempts without recent news, which have ended. */
  private forgetOld(now: number): void {
    for (const times of [this.lastSeen, this.offered])
      if (times.size > MANY) for (const [key, at] of times) if (now - at > FORGET_MS) times.delete(key);
  }

  async close(): Promise<void> {
    clearInterval(this.calling);
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
  }

  private hearItself(): void {
    const now = this.clock();
    if (now - this.heardItselfAt >= DEAF_MS) this.hearingSince = now;
    this.heardItselfAt = now;
  }
}

const keyOf = (kind: WorkKind, { id, attempt }: AttemptRef): string => `${kind}/${id}/${attempt}`;
