import { traced } from '#primitives/tracing/index.js';

/** The first and the longest pause before a failed command is retried. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 60_000;
/** A completed command whose event is not seen by then is repeated. */
const REPEAT_MS = 10_000;
/** Commands in flight per workspace and in total, so that one workspace's slow commands do not block the others. */
const MAX_AT_ONCE = 16;
const MAX_AT_ONCE_IN_ALL = 256;

export type FailingCommand = {
  readonly key: string;
  readonly failures: number;
  readonly error: string;
  readonly nextTryInMs: number;
};

interface Attempt {
  running: boolean;
  failures: number;
  error: string;
  /** The earliest time of the next attempt. */
  notBefore: number;
}

/** Runs the commands of one process manager: each key once at a time, with growing pauses after failures. */
export class Commands<Command> {
  private readonly attempts = new Map<string, Attempt>();
  private readonly running = new Set<Promise<void>>();
  private readonly runningOf = new Map<string, number>();

  constructor(
    private readonly manager: {
      readonly name: string;
      key(command: Command): string;
      workspaceOf?(command: Command): string;
      traceOf?(command: Command): string | undefined;
      execute(command: Command, signal: AbortSignal): Promise<void>;
    },
    private readonly now: () => number,
    private readonly signal: AbortSignal,
    /** Called when one has ended, whichever way. */
    private readonly ended: () => void,
  ) {}

  get runningCount(): number {
    return this.running.size;
  }

  /** Starts the pending commands that are due. */
  begin(pending: readonly Command[]): void {
    const now = this.now();
    const keys = new Set<string>();
    for (const command of pending) {
      const key = this.manager.key(command);
      if (keys.has(key)) continue;
      keys.add(key);
      const attempt = this.attempts.get(key) ?? { running: false, failures: 0, error: '', notBefore: -Infinity };
      this.attempts.set(key, attempt);
      if (attempt.running || attempt.notBefore > now || this.running.size >= MAX_AT_ONCE_IN_ALL) continue;
      const workspaceId = this.manager.workspaceOf?.(command) ?? '';
      if ((this.runningOf.get(workspaceId) ?? 0) < MAX_AT_ONCE) this.run(command, attempt, workspaceId);
    }
    for (const [key, attempt] of this.attempts) if (!keys.has(key) && !attempt.running) this.attempts.delete(key);
  }

  failing(): readonly FailingCommand[] {
    return [...this.attempts]
      .filter(([, { failures }]) => failures > 0)
      .map(([key, { failures, error, notBefore }]) => ({
        key,
        failures,
        error,
        nextTryInMs: Math.max(0, notBefore - this.now()),
      }));
  }

  async drained(): Promise<void> {
    await Promise.all(this.running);
  }

  private run(command: Command, attempt: Attempt, workspaceId: string): void {
    attempt.running = true;
    this.count(workspaceId, 1);
    const done = (async () => {
      try {
        const attributes = { 'anneal.command.key': this.manager.key(command) };
        const start = { attributes, carrier: { traceparent: this.manager.traceOf?.(command) } };
        await traced(`process ${this.manager.name}`, start, () => this.manager.execute(command, this.signal));
        attempt.failures = 0;
        attempt.notBefore = this.now() + REPEAT_MS;
      } catch (error) {
        attempt.failures += 1;
        attempt.error = error instanceof Error ? error.message : String(error);
        const pause = Math.min(FIRST_RETRY_MS * 2 ** (attempt.failures - 1), MAX_RETRY_MS);
        attempt.notBefore = this.now() + pause;
      }
      attempt.running = false;
    })().finally(() => {
      this.running.delete(done);
      this.count(workspaceId, -1);
      this.ended();
    });
    this.running.add(done);
  }

  private count(workspaceId: string, change: 1 | -1): void {
    const count = (this.runningOf.get(workspaceId) ?? 0) + change;
    if (count > 0) this.runningOf.set(workspaceId, count);
    else this.runningOf.delete(workspaceId);
  }
}
