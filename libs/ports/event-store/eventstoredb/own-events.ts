import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { isLogCreated } from '../log-created.js';
import { EventStoreUnavailableError, LogDamagedError, type Position, type RecordedEvent } from '../port.js';
import { wrongSeal, type UnsealedEvent } from '../seal.js';

/** The member of an event's metadata, on the server only, that has its MAC. */
export const MAC = 'mac';

/** An event of the server that this installation did not write: nothing reads past it until an operator accepts it. */
export class ForeignEventError extends EventStoreUnavailableError {
  override readonly name = 'ForeignEventError';
  constructor(readonly event: UnsealedEvent) {
    super(`${wrongSeal({ kind: 'longer', count: 1, events: [event] })}; stop Anneal and start it to see all of them`);
  }
}

/**
 * MACs of events under the installation's secret. Each binds an event to its stream and revision, so that a copy of it elsewhere has
 * none. Of any number of processes that write, each can tell what the others wrote.
 */
export class EventMacs {
  private readonly keys: readonly KeyObject[];

  /** @param keys the key in force, then earlier ones */
  constructor(keys: readonly Uint8Array[]) {
    this.keys = keys.map((key) => createSecretKey(key));
  }

  of(event: Omit<RecordedEvent, 'position'>): string {
    return macOf(this.keys[0]!, textOf(event)).toString('base64');
  }

  isOwn(event: RecordedEvent, mac: unknown): boolean {
    if (typeof mac !== 'string') return false;
    const given = Buffer.from(mac, 'base64');
    const text = textOf(event);
    return this.keys.some((key) => {
      const own = macOf(key, text);
      return own.length === given.length && timingSafeEqual(own, given);
    });
  }
}

const textOf = ({ stream, revision, id, type, data, metadata }: Omit<RecordedEvent, 'position'>): string =>
  JSON.stringify([stream, revision, id, type, data, metadata]);

const macOf = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest();

interface OwnEventsOptions {
  /** Place of the newest acceptance on the log; null: nothing was accepted. */
  readonly accepted: () => Promise<Position | null>;
  readonly onDamage?: ((error: LogDamagedError) => void) | undefined;
}

/** Tells events of this installation, and those that an operator has accepted, from others. */
export class OwnEvents {
  /** Events before it count without a MAC. */
  private accepted: Position | null = null;
  private foreign: ForeignEventError | null = null;

  constructor(
    private readonly macs: EventMacs,
    private readonly options: OwnEventsOptions,
  ) {}

  /** @throws ForeignEventError */
  require(event: RecordedEvent, mac: unknown): void {
    if (isLogCreated(event) || this.hasAccepted(event.position) || this.macs.isOwn(event, mac)) return;
    if (this.foreign?.event.position !== event.position) {
      this.foreign = new ForeignEventError(event);
      this.options.onDamage?.(new LogDamagedError(event.position, this.foreign.message));
    }
    throw this.foreign;
  }

  /** Looks at what operators have accepted meanwhile. */
  async refresh(): Promise<void> {
    this.accepted = await this.options.accepted();
    if (this.foreign && this.hasAccepted(this.foreign.event.position)) this.foreign = null;
  }

  /** @throws ForeignEventError while the log is known to have an event of others */
  async requireWhole(): Promise<void> {
    if (this.foreign) await this.refresh();
    if (this.foreign) throw this.foreign;
  }

  private hasAccepted(position: Position): boolean {
    return this.accepted !== null && position <= this.accepted;
  }
}
