import type { Steps } from '#gpu-runner/engines/steps.js';

/** Maximum milliseconds of one turn, its last step excepted. */
const SLICE_MS = 2;
/** Milliseconds of work done at once in one event-loop turn; later work takes turns. */
const AT_ONCE_MS = 5;
/** Above this number, idle workspaces are forgotten. */
const MAX_KNOWN = 1_000;

/**
 * Runs the work of several workspaces on one thread by start-time fair queueing: the next step goes to the workspace
 * that has had the least time. Short work of the workspace whose turn it is begins immediately, and takes turns
 * if it lasts.
 */
export class FairTurns {
  private readonly workspaces = new Map<string, Workspace>();
  /** Workspaces with jobs. */
  private readonly waiting = new Set<Workspace>();
  /** Time consumed by the workspace served last, where a new workspace starts. */
  private clock = 0;
  private atOnceUntil: number | null = null;
  private scheduled = false;

  /** @param later runs a function once all messages that have arrived were handled */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly later: (run: () => void) => void = afterMessages,
  ) {}

  /**
   * @param short it may run at once
   * @returns the result of the steps, at once or later; it rejects if the call is dropped
   */
  run<Result>(workspaceId: string, call: number, short: boolean, steps: Steps<Result>): Result | Promise<Result> {
    const workspace = this.workspaceOf(workspaceId);
    if (workspace.jobs.length === 0 && workspace.had < this.clock) workspace.had = this.clock;
    if (short && this.mayRunNow(workspace)) {
      const last = this.charged(workspace, () => this.begin(steps));
      if (last.done) return last.value;
    }
    return new Promise<Result>((resolve, reject) => {
      const step = () => {
        const { done, value } = steps.next();
        if (done) resolve(value);
        return done === true;
      };
      workspace.jobs.push({ call, step, reject });
      this.waiting.add(workspace);
      this.schedule();
    });
  }

  /** Drops the rest of a call whose caller has left. */
  drop(call: number): void {
    for (const workspace of this.waiting) {
      const dropped = workspace.jobs.filter((job) => job.call === call);
      if (dropped.length === 0) continue;
      workspace.jobs = workspace.jobs.filter((job) => job.call !== call);
      if (workspace.jobs.length === 0) this.waiting.delete(workspace);
      for (const job of dropped) job.reject(new Error('dropped'));
    }
  }

  private schedule(): void {
    if (this.scheduled || this.waiting.size === 0) return;
    this.scheduled = true;
    this.later(this.turn);
  }

  private readonly turn = (): void => {
    this.scheduled = false;
    const until = this.now() + SLICE_MS;
    do {
      const workspace = this.next();
      if (!workspace) return;
      this.advance(workspace, until);
    } while (this.now() < until);
    this.schedule();
  };

  /** Works on the workspace's first job until that is done or the time is up. */
  private advance(workspace: Workspace, until: number): void {
    const job = workspace.jobs.shift()!;
    let done = true;
    try {
      this.charged(workspace, () => {
        do done = job.step();
        while (!done && this.now() < until);
      });
    } catch (error) {
      job.reject(error);
    }
    // Calls of one workspace take turns too.
    if (!done) workspace.jobs.push(job);
    if (workspace.jobs.length === 0) this.waiting.delete(workspace);
  }

  private next(): Workspace | undefined {
    let least: Workspace | undefined;
    for (const workspace of this.waiting) if (!least || workspace.had < least.had) least = workspace;
    return least;
  }

  /** Continues until the time for immediate work is up: a short text may come with many labels. */
  private begin<Result>(steps: Steps<Result>): IteratorResult<undefined, Result> {
    for (;;) {
      const last = steps.next();
      if (last.done || this.now() >= this.atOnceUntil!) return last;
    }
  }

  private mayRunNow(workspace: Workspace): boolean {
    if (workspace.jobs.length > 0) return false;
    const now = this.now();
    if (this.atOnceUntil === null) {
      this.atOnceUntil = now + AT_ONCE_MS;
      setImmediate(() => (this.atOnceUntil = null));
    }
    if (now >= this.atOnceUntil) return false;
    const other = this.next();
    return !other || workspace.had <= other.had;
  }

  private charged<Result>(workspace: Workspace, work: () => Result): Result {
    const start = this.now();
    this.clock = Math.max(this.clock, workspace.had);
    try {
      return work();
    } finally {
      workspace.had += this.now() - start;
    }
  }

  private workspaceOf(id: string): Workspace {
    let workspace = this.workspaces.get(id);
    if (workspace) return workspace;
    if (this.workspaces.size >= MAX_KNOWN)
      for (const [known, { had, jobs }] of this.workspaces)
        if (jobs.length === 0 && had <= this.clock) this.workspaces.delete(known);
    this.workspaces.set(id, (workspace = { had: this.clock, jobs: [] }));
    return workspace;
  }
}

interface Workspace {
  /** Milliseconds that it has used, or would have used if it had been here from the start. */
  had: number;
  jobs: Job[];
}

interface Job {
  readonly call: number;
  /** @returns whether it was the last */
  readonly step: () => boolean;
  readonly reject: (error: unknown) => void;
}

/** Messages are read between two rounds of immediates and handed in by their own immediate, which comes first. */
const afterMessages = (run: () => void): void => {
  setImmediate(() => setImmediate(run));
};
