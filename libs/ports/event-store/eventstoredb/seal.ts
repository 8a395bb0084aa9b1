import { LOG_END_ACCEPTED } from '#domain/log/events.js';
import { streamName } from '#domain/streams.js';
import { isLogCreated } from '../log-created.js';
import { StreamNotFoundError, type LogDamagedError, type Position } from '../port.js';
import { MAX_UNSEALED, type LogSeal, type SealState, type UnsealedEvent } from '../seal.js';
import { EventMacs, OwnEvents } from './own-events.js';
import { readOneStream, readRecords, type ServerStream } from './reading.js';

/** The stream of what operators have accepted. */
const SEAL_STREAM = streamName('log', 'seal');
/** Events in a row that decide: a start reads no more of a log that ends with its own, or that has none. */
const ENOUGH = 2_000;

/**
 * The seal of a log behind a server: every event has a MAC, since several processes write and none of them knows which event is the
 * last. What was appended, changed or put elsewhere without the secret is told apart; an event that the server has removed behind the
 * newest checkpoint is not.
 */
export class EventStoreDbSeal implements LogSeal {
  /** Up to here all events are the installation's own. */
  private checked: Position | null = null;

  constructor(
    private readonly source: ServerStream,
    private readonly write: (macs: EventMacs) => void,
    private readonly onDamage?: (error: LogDamagedError) => void,
  ) {}

  /** Gives appends their MACs from now on. */
  async inspect(keys: readonly Uint8Array[]): Promise<SealState> {
    const macs = new EventMacs(keys);
    this.write(macs);
    const accepted = await acceptedOn(this.source, macs);
    const others: UnsealedEvent[] = [];
    let [own, inRow, hasMacs] = [0, 0, false];
    let isOwn = false;
    const look = unverified(this.source, (event, mac) => {
      hasMacs ||= mac !== undefined;
      isOwn = macs.isOwn(event, mac);
    });
    for await (const { event, position } of readRecords(look, 'backwards', null)) {
      if (accepted !== null && position <= accepted) break;
      if (!event || isLogCreated(event)) continue;
      this.checked ??= position;
      const { stream, revision, type } = event;
      if (isOwn) [own, inRow] = [own + 1, inRow + 1];
      else [inRow] = [others.push({ position, stream, revision, type }) && 0];
      if (inRow >= ENOUGH || (own === 0 && accepted === null && others.length >= ENOUGH)) break;
    }
    this.checked ??= accepted;
    if (own === 0 && accepted === null) return { kind: hasMacs ? 'other-key' : 'none' };
    if (others.length === 0) return { kind: 'whole' };
    return { kind: 'longer', count: others.length, events: others.reverse().slice(0, MAX_UNSEALED) };
  }

  async begin(keys: readonly Uint8Array[]): Promise<void> {
    this.write(new EventMacs(keys));
    const own = ownEvents(this.source, keys, this.onDamage);
    await own.refresh();
    this.source.admission.own = own;
  }

  async check(): Promise<string> {
    await this.source.admission.own?.requireWhole();
    for await (const { event, position } of readRecords(this.source, 'forwards', this.checked))
      if (event) this.checked = position;
    return this.checked!;
  }

  /** What a checkpoint covers keeps its MACs. */
  async cover(): Promise<void> {}
}

/** Those of a log, of which reads give no others. */
export function ownEvents(
  source: ServerStream,
  keys: readonly Uint8Array[],
  onDamage?: (error: LogDamagedError) => void,
): OwnEvents {
  const macs = new EventMacs(keys);
  return new OwnEvents(macs, { accepted: () => acceptedOn(source, macs), onDamage });
}

const nothing = async (): Promise<void> => undefined;

type Look = Parameters<typeof unverified>[1];

/** Reads that give every event. */
const unverified = (source: ServerStream, require: OwnEvents['require']): ServerStream => ({
  ...source,
  admission: { own: { require, refresh: nothing, requireWhole: nothing } },
});

/** Place of the newest acceptance that was written with the secret; null for none. */
async function acceptedOn(source: ServerStream, macs: EventMacs): Promise<Position | null> {
  let isOwn = false;
  const look: Look = (event, mac) => void (isOwn = macs.isOwn(event, mac));
  try {
    for await (const { type, position } of readOneStream(unverified(source, look), SEAL_STREAM, {
      direction: 'backwards',
    }))
      if (isOwn && type === LOG_END_ACCEPTED) return position;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return null;
}
