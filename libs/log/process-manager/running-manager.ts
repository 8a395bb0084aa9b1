import type { Position, RecordedEvent } from '#ports/event-store/port.js';
import { HandledTypes, UnknownEventVersionError } from '#log/projector/handled-types.js';
import { evolve } from '#log/projector/handlers.js';
import { Commands, type FailingCommand } from './commands.js';
import type { Mark, ProcessManager, QueueDepth } from './process-manager.js';

export type ProcessManagerStatus = {
  readonly name: string;
  /** `catching-up`: nothing was sent yet; `stopped`: it cannot continue, for the reason in `error`. */
  readonly state: 'catching-up' | 'live' | 'stopped' | 'disconnected';
  readonly position: Position | null;
  /** Number of pending commands, including those in flight. */
  readonly pending: number;
  readonly running: number;
  readonly failing: readonly FailingCommand[];
  /** null for work that others do not take, and while it is catching up. */
  readonly queue: { readonly [Field in keyof QueueDepth]: QueueDepth[Field] } | null;
  readonly error: string | null;
};

/** Runs one process manager. */
export class RunningManager {
  readonly types: HandledTypes;
  private readonly commands: Commands<unknown>;
  private state: unknown;
  private live = false;
  private stopped: Error | null = null;
  private error: string | null = null;
  private pendingCount = 0;
  private scheduled = false;

  constructor(
    readonly manager: ProcessManager<unknown, unknown>,
    private readonly now: () => number,
    private readonly signal: AbortSignal,
  ) {
    this.types = new HandledTypes(manager.on);
    this.state = manager.initial;
    this.commands = new Commands(manager, now, signal, () => this.soon());
  }

  see(event: RecordedEvent): void {
    if (this.stopped || !this.types.concern(event.type)) return;
    try {
      if (this.types.isUnknownVersion(event.type))
        throw new UnknownEventVersionError(this.manager.name, event.type, event.position);
      this.state = evolve(this.manager.on, this.state, event);
      this.soon();
    } catch (error) {
      // The state is unknown from here on, so the manager stops.
      this.stopped = error as Error;
    }
  }

  goLive(): void {
    this.live = true;
    this.work();
  }

  /** Starts every command that is due. */
  work(): void {
    if (!this.live || this.stopped || this.signal.aborted) return;
    try {
      const pending = this.manager.pending(this.state, this.now());
      this.pendingCount = pending.length;
      this.error = null;
      this.commands.begin(pending);
    } catch (error) {
      this.error = (error as Error).message;
    }
  }

  status(position: Position | null, disconnected: string | null): ProcessManagerStatus {
    const state = this.stopped
      ? 'stopped'
      : disconnected !== null
        ? 'disconnected'
        : this.live
          ? 'live'
          : 'catching-up';
    return {
      name: this.manager.name,
      state,
      position,
      pending: this.pendingCount,
      running: this.commands.runningCount,
      failing: this.commands.failing(),
      queue: (this.live && this.manager.queue?.(this.state)) || null,
      error: this.stopped?.message ?? disconnected ?? this.error,
    };
  }

  settled(): Mark | null {
    return (!this.stopped && this.manager.settled?.(this.state)) || null;
  }

  drained(): Promise<void> {
    return this.commands.drained();
  }

  /** Runs `work` once for a whole batch of events and for commands that settle together. */
  private soon(): void {
    if (this.scheduled || !this.live) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.work();
    });
  }
}
