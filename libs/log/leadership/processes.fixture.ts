import { CoordinationUnavailableError, type Lease } from '#ports/coordination/port.js';
import type { Clock } from './clock.js';
import type { Leases } from './held-lease.js';

interface Timer {
  readonly due: number;
  readonly then: () => void;
}

/** Processes that share a coordination and a clock, which advances only by `pass`. */
export class Processes {
  now = 0;
  private readonly all: TestProcess[] = [];

  start(leases: Leases): TestProcess {
    const process = new TestProcess(this, leases);
    this.all.push(process);
    return process;
  }

  /** Advances the clock from timer to timer, and settles after each. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      await this.settle();
      const due = Math.min(...this.all.map((process) => process.nextDue()));
      if (due > until) break;
      this.now = Math.max(this.now, due);
      this.all.find((process) => process.nextDue() === due)?.fire();
    }
    this.now = until;
    await this.settle();
  }

  /** Resolves once coordination has answered every request. */
  async settle(): Promise<void> {
    do {
      await Promise.all(this.all.flatMap((process) => [...process.asked]));
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.all.some((process) => process.asked.size > 0));
  }
}

/** A simulated process. */
export class TestProcess implements Clock, Leases {
  readonly asked = new Set<Promise<unknown>>();
  /** The link to coordination; `silent`: requests arrive, answers do not. */
  network: 'up' | 'down' | 'silent' = 'up';
  private readonly timers = new Set<Timer>();
  private runs = true;

  constructor(
    private readonly processes: Processes,
    private readonly leases: Leases,
  ) {}

  now(): number {
    return this.processes.now;
  }

  after(ms: number, then: () => void): () => void {
    const timer = { due: this.now() + Math.max(0, ms), then };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  acquireLease(name: string, holder: string, termMs: number): Promise<Lease | null> {
    return this.ask(() => this.leases.acquireLease(name, holder, termMs));
  }

  releaseLease(lease: Lease): Promise<void> {
    return this.ask(() => this.leases.releaseLease(lease));
  }

  /** Simulates SIGSTOP: the clock advances, but no timer fires until `continue`. */
  stop(): void {
    this.runs = false;
  }

  /** Simulates SIGCONT: overdue timers fire immediately, in order. */
  async continue(): Promise<void> {
    this.runs = true;
    await this.processes.pass(0);
  }

  nextDue(): number {
    return this.runs ? Math.min(...[...this.timers].map(({ due }) => due)) : Infinity;
  }

  fire(): void {
    const due = this.nextDue();
    for (const timer of this.timers)
      if (timer.due === due) {
        this.timers.delete(timer);
        timer.then();
        return;
      }
  }

  private ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.network === 'silent') return new Promise<never>(() => undefined);
    const answer =
      this.network === 'up' ? question() : Promise.reject(new CoordinationUnavailableError('it cannot be reached'));
    const asked = answer.catch(() => undefined).finally(() => this.asked.delete(asked));
    this.asked.add(asked);
    return answer;
  }
}
