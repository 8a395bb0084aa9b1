import { MONOTONIC } from './clock.js';
import { takeLease, TERM_MS, type HeldLease, type LeaseOptions } from './held-lease.js';

export interface LeadershipOptions extends LeaseOptions {
  /** Called with errors of the work: when it starts, when it ends unexpectedly, or when it closes. */
  readonly onError?: (error: unknown) => void;
  /** 0 to 1, evenly. */
  readonly random?: () => number;
}

/** The leader's work while it runs. */
export interface LedWork {
  /** Settles when the work ends unexpectedly. Default: it never does. */
  readonly ended?: Promise<unknown>;
  close(): Promise<void>;
}

export interface LeadershipStatus {
  readonly name: string;
  /** `unreachable`: it is unknown whether another process leads. */
  readonly role: 'leader' | 'follower' | 'unreachable';
  readonly holder: string;
}

export interface Leadership {
  status(): LeadershipStatus;
  /** Settles with the first local start of the work: possibly long after, or never. */
  readonly started: Promise<void>;
  /** Stops the work, and frees the lead for others immediately. */
  close(): Promise<void>;
}

/** Shares of a term: between two polls of a follower, and of one that lost the lead or does not reach coordination. */
const POLL = 1 / 4;
const POLL_SOON = 1 / 16;
/** Pause in which failed work leaves leadership to others; doubled with each failure. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/**
 * Campaigns for a lease forever, and does the work while it is held. The work is stopped when the lease is lost, or
 * could not be renewed in time by the own clock; it restarts with each term. Two processes may believe they lead, for a
 * moment or longer: a lease avoids duplicate work, but proves nothing.
 * @param work starts it; its signal aborts when the term is over, also while it is still starting
 */
export function lead(options: LeadershipOptions, work: (signal: AbortSignal) => Promise<LedWork>): Leadership {
  return new Campaign(options, work);
}

class Campaign implements Leadership {
  private readonly closing = new AbortController();
  private readonly firstStart = Promise.withResolvers<void>();
  private readonly running: Promise<void>;
  private role: LeadershipStatus['role'] = 'follower';
  private failures = 0;

  constructor(
    private readonly options: LeadershipOptions,
    private readonly work: (signal: AbortSignal) => Promise<LedWork>,
  ) {
    // The promise may have no listener, and must not end the process.
    this.started.catch(() => undefined);
    this.running = this.run();
  }

  get started(): Promise<void> {
    return this.firstStart.promise;
  }

  status(): LeadershipStatus {
    const { name, holder } = this.options;
    return { name, role: this.role, holder };
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { termMs = TERM_MS, random = Math.random } = this.options;
    while (!this.closing.signal.aborted) {
      const lease = await this.take();
      const failed = lease !== null && !(await this.term(lease));
      const share = lease !== null || this.role === 'unreachable' ? POLL_SOON : POLL;
      // Random, so that followers which started together spread their polls.
      await this.pause(failed ? this.pauseAfterFailure() : termMs * share * (0.75 + random() / 2));
    }
  }

  private async take(): Promise<HeldLease | null> {
    try {
      const lease = await takeLease(this.options);
      this.role = lease ? 'leader' : 'follower';
      return lease;
    } catch {
      this.role = 'unreachable';
      return null;
    }
  }

  /** @returns false if the work failed */
  private async term(lease: HeldLease): Promise<boolean> {
    const { clock = MONOTONIC, onError } = this.options;
    const over = AbortSignal.any([lease.ended, this.closing.signal]);
    const began = clock.now();
    try {
      await this.doWork(over);
      this.failures = 0;
      return true;
    } catch (error) {
      this.failures = clock.now() - began > MAX_PAUSE_MS ? 1 : this.failures + 1;
      onError?.(error);
      return false;
    } finally {
      this.role = 'follower';
      await lease.release();
    }
  }

  private async doWork(over: AbortSignal): Promise<void> {
    if (over.aborted) return;
    const led = await this.begin(over);
    try {
      await Promise.race([aborted(over), endedByItself(led)]);
    } finally {
      await led.close();
    }
  }

  private async begin(over: AbortSignal): Promise<LedWork> {
    try {
      const led = await this.work(over);
      if (!over.aborted) this.firstStart.resolve();
      return led;
    } catch (error) {
      this.firstStart.reject(error);
      throw error;
    }
  }

  private pauseAfterFailure(): number {
    return Math.min(FIRST_PAUSE_MS * 2 ** (this.failures - 1), MAX_PAUSE_MS);
  }

  private pause(ms: number): Promise<void> {
    const { clock = MONOTONIC } = this.options;
    const { signal } = this.closing;
    return new Promise((resolve) => {
      const done = () => {
        forget();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const forget = clock.after(ms, done);
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Never resolves while the work runs. @throws the error that ended the work */
async function endedByItself({ ended }: LedWork): Promise<void> {
  await (ended ?? new Promise<never>(() => undefined));
  throw new Error('the work ended by itself');
}
