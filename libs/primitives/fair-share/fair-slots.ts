import { nextTurn } from './turns.js';

/** A place among those that run, or in the queue for one. */
export interface FairSlot {
  /** Resolves when it may run; null if it may at once. */
  readonly given: Promise<void> | null;
  /** Gives it up, wherever it is. Harmless to do twice. */
  leave(): void;
}

interface FairSlotsOptions {
  /** A workspace may hold only three times as many as it leaves free, so that there is always one for a newcomer. */
  readonly keepsSomeFree?: boolean;
}

/** Workspaces served before these count as never served. */
const MAX_SERVED = 1_000;
const HELD_PER_FREE = 3;

interface Entry {
  readonly workspaceId: string;
  at: 'queue' | 'running' | 'gone';
  begin: () => void;
}

/** Lets a few tasks run at a time. The others wait until it is their workspace's turn (`nextTurn`). */
export class FairSlots {
  private free: number;
  private readonly running = new Map<string, number>();
  /** Waiting entries by workspace, oldest first. */
  private readonly waiting = new Map<string, Set<Entry>>();
  /** Workspaces by the time they were last served, the latest at the end. */
  private readonly served = new Map<string, number>();
  private turns = 0;
  private readonly shares = {
    running: (workspaceId: string) => this.running.get(workspaceId) ?? 0,
    servedAt: (workspaceId: string) => this.served.get(workspaceId) ?? 0,
  };

  constructor(
    count: number,
    private readonly options: FairSlotsOptions = {},
  ) {
    this.free = count;
  }

  /** Number of a workspace's entries that run or wait. */
  lengthOf(workspaceId: string): number {
    return this.shares.running(workspaceId) + (this.waiting.get(workspaceId)?.size ?? 0);
  }

  /** Number of entries that wait. */
  get queued(): number {
    return this.waiting.values().reduce((sum, { size }) => sum + size, 0);
  }

  enter(workspaceId: string): FairSlot {
    const entry: Entry = { workspaceId, at: 'running', begin: () => undefined };
    // A waiting call that may run was started when a slot became free.
    if (this.mayRun(workspaceId)) {
      this.serve(workspaceId);
      return { given: null, leave: () => this.leave(entry) };
    }
    entry.at = 'queue';
    const given = new Promise<void>((resolve) => (entry.begin = resolve));
    const queue = this.waiting.get(workspaceId);
    if (queue) queue.add(entry);
    else this.waiting.set(workspaceId, new Set([entry]));
    return { given, leave: () => this.leave(entry) };
  }

  async run<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    const place = this.enter(workspaceId);
    try {
      await place.given;
      return await work();
    } finally {
      place.leave();
    }
  }

  private mayRun(workspaceId: string): boolean {
    const held = this.shares.running(workspaceId);
    if (this.free === 0) return false;
    return !this.options.keepsSomeFree || held === 0 || held + 1 <= HELD_PER_FREE * (this.free - 1);
  }

  private serve(workspaceId: string): void {
    this.free -= 1;
    this.running.set(workspaceId, this.shares.running(workspaceId) + 1);
    this.served.delete(workspaceId);
    this.served.set(workspaceId, (this.turns += 1));
    if (this.served.size > MAX_SERVED) this.served.delete(this.served.keys().next().value!);
  }

  private leave(entry: Entry): void {
    const { workspaceId, at } = entry;
    entry.at = 'gone';
    if (at === 'queue') this.leaveQueue(entry);
    if (at !== 'running') return;
    const held = this.shares.running(workspaceId) - 1;
    if (held > 0) this.running.set(workspaceId, held);
    else this.running.delete(workspaceId);
    this.free += 1;
    this.letIn();
  }

  private leaveQueue(entry: Entry): void {
    const queue = this.waiting.get(entry.workspaceId);
    queue?.delete(entry);
    if (queue?.size === 0) this.waiting.delete(entry.workspaceId);
  }

  private letIn(): void {
    while (this.free > 0 && this.waiting.size > 0) {
      const next = nextTurn(
        this.waiting.keys().filter((workspaceId) => this.mayRun(workspaceId)),
        this.shares,
      );
      if (next === null) return;
      const entry: Entry = this.waiting.get(next)!.values().next().value!;
      this.leaveQueue(entry);
      this.serve(next);
      entry.at = 'running';
      entry.begin();
    }
  }
}
