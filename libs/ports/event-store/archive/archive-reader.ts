import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import { ObjectNotFoundError, ObjectStoreUnavailableError, type ObjectStore } from '#ports/object-store/port.js';
import { EventStoreUnavailableError, LogDamagedError, type Position } from '../port.js';
import type { StoredEvent } from '../stored-event.js';
import { ARCHIVED, isSegmentKey, readSegment, SegmentDamagedError } from './segment.js';

type Segment = ReadonlyMap<Position, StoredEvent>;

/** Segments that are kept for the next event: readers go through the log in order. */
const KEPT = 2;

/** Reads archived events. Opens the object store for the first of them, so that a log without an archive costs nothing. */
export class ArchiveReader {
  private store: Promise<ObjectStore> | null = null;
  private readonly kept = new Map<string, Promise<Segment>>();

  /** @param address of the object store that has the archive; absent: there is none */
  constructor(private readonly address: ObjectStoreAddress | undefined) {}

  /**
   * The archived event at a position.
   * @param key of its segment, as the log's file has it
   * @throws LogDamagedError when the segment is missing, damaged, or lacks it
   * @throws EventStoreUnavailableError when the object store cannot be reached
   */
  async event(key: string, position: Position): Promise<StoredEvent> {
    if (!isSegmentKey(key)) throw new LogDamagedError(position, 'its content is missing');
    const segment = await this.segment(key).catch((error: unknown) => {
      throw asLogError(error, key, position);
    });
    const event = segment.get(position);
    if (event === undefined) throw new LogDamagedError(position, `its archive ${key} does not have it`);
    return event;
  }

  async close(): Promise<void> {
    const store = this.store;
    this.store = null;
    await (await store)?.close();
  }

  private segment(key: string): Promise<Segment> {
    const known = this.kept.get(key);
    const segment = known ?? this.read(key);
    // A Map keeps the order of insertion: the first key is the one that was used longest ago.
    this.kept.delete(key);
    this.kept.set(key, segment);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value!);
    if (!known) segment.catch(() => this.kept.delete(key));
    return segment;
  }

  private async read(key: string): Promise<Segment> {
    if (this.address === undefined)
      throw new ObjectStoreUnavailableError('it is in the archive, and this reader was given none');
    const store = await (this.store ??= openObjectStore(this.address));
    const events = await readSegment(store, key);
    return new Map(events.map((event) => [event.position, event]));
  }
}

/**
 * Pages of rows of a log's file, with the texts of archived events.
 * @param onDamage called for an event that the archive lacks, which is then passed on without texts; default: throws
 * @throws LogDamagedError, EventStoreUnavailableError
 */
export async function* withArchived(
  pages: Iterable<readonly StoredEvent[]>,
  archive: ArchiveReader,
  onDamage?: (error: LogDamagedError) => void,
): AsyncGenerator<readonly StoredEvent[]> {
  for (const page of pages) {
    if (!page.some(isArchived)) {
      yield page;
      continue;
    }
    const whole: StoredEvent[] = [];
    for (const event of page) whole.push(isArchived(event) ? await textsOf(event, archive, onDamage) : event);
    yield whole;
  }
}

const isArchived = ({ data }: StoredEvent): boolean => data === ARCHIVED;

async function textsOf(
  event: StoredEvent,
  archive: ArchiveReader,
  onDamage: ((error: LogDamagedError) => void) | undefined,
): Promise<StoredEvent> {
  try {
    const { data, metadata } = await archive.event(event.metadata, event.position);
    return { ...event, data, metadata };
  } catch (error) {
    if (!(onDamage && error instanceof LogDamagedError)) throw error;
    onDamage(error);
    return event;
  }
}

function asLogError(error: unknown, key: string, position: Position): Error {
  const { message } = error as Error;
  const damaged = (problem: string) => new LogDamagedError(position, `its archive ${key} ${problem}`, { cause: error });
  if (error instanceof ObjectNotFoundError) return damaged('is missing');
  if (error instanceof SegmentDamagedError) return damaged(`cannot be read: ${message}`);
  return new EventStoreUnavailableError(`the archive of the event log cannot be read now: ${message}`, {
    cause: error,
  });
}
