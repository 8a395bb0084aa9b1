import { EventEmitter } from 'node:events';
import type { Connections } from './connections.js';

/** Faults on demand. What is set holds until it is set back. */
export class Control extends EventEmitter<{ audible: []; asked: [] }> {
  /** Calls that cannot be done here are sent to this leader: those with `requires-leader`. Null: this server leads. */
  leader: { readonly host: string; readonly port: number } | null = null;
  /** Every call is answered with access-denied. */
  denyAccess = false;
  /** Reads of the whole log are answered with access-denied, as where an ACL does not name the user. */
  denyAll = false;
  /** Every call is answered with UNAVAILABLE, as while a server starts, and emits `asked`. */
  notReady = false;
  /** A subscription from a place gives the last event at or before that place again. */
  repeatLastOnReconnect = false;

  private isSilent = false;
  private dropsBefore = 0;
  private dropsAfter = 0;
  private timeOuts = 0;
  private readonly holds = new Set<Promise<void>>();

  /** Called by `startEventStoreServer` only. */
  constructor(private readonly connections: Connections) {
    super();
    this.setMaxListeners(0);
  }

  /**
   * While true, calls are accepted and never answered, not even later; existing subscriptions deliver nothing.
   * Connections and their keep-alive pings stay up, so only deadlines help.
   */
  get silent(): boolean {
    return this.isSilent;
  }

  set silent(silent: boolean) {
    this.isSilent = silent;
    if (!silent) this.emit('audible');
  }

  /** While true, new connections are closed immediately. Existing ones stay. */
  set refuseConnections(refuse: boolean) {
    this.connections.refuse = refuse;
  }

  /** The next `count` appends are stored, and their connection is cut instead of an answer. */
  dropAppendsAfterStoring(count: number): void {
    this.dropsAfter = count;
  }

  /** The next `count` appends are not stored, and their connection is cut instead of an answer. */
  dropAppendsBeforeStoring(count: number): void {
    this.dropsBefore = count;
  }

  /** The next `count` appends are stored, and answered with a timeout of the server's own. */
  timeOutAppendsAfterStoring(count: number): void {
    this.timeOuts = count;
  }

  /** Appends wait, unanswered and not stored, until the function that comes back is called. */
  holdAppends(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.holds.add(promise);
    return () => {
      this.holds.delete(promise);
      resolve();
    };
  }

  /** Cuts every connection, without a word. */
  disconnectAll(): void {
    this.connections.cutAll();
  }

  /** Called by the services: whether to drop this append before it is stored. */
  takeDropBefore(): boolean {
    return this.dropsBefore > 0 && this.dropsBefore-- > 0;
  }

  /** Called by the services: whether to drop this append after it was stored. */
  takeDropAfter(): boolean {
    return this.dropsAfter > 0 && this.dropsAfter-- > 0;
  }

  /** Called by the services: whether to report this append as timed out. */
  takeTimeOut(): boolean {
    return this.timeOuts > 0 && this.timeOuts-- > 0;
  }

  /** Called by the services: resolves once appends are not held. */
  async unheld(): Promise<void> {
    while (this.holds.size > 0) await Promise.all(this.holds);
  }
}
