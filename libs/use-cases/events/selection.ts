import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { EVENT_TYPES } from '#log/event-types.js';
import { InvalidError } from '#domain/errors.js';
import { categoryOf, STREAM_CATEGORIES } from '#domain/streams.js';
import { StreamNotFoundError, type EventFilter, type Position, type RecordedEvent } from '#ports/event-store/port.js';
import { ownedBy, shownOf } from './visible.js';

/** Conditions on events of the workspace, which all must hold. */
export interface EventFilters {
  /** A type of event, or several separated by commas. */
  readonly type?: string;
  readonly stream?: string;
  /** In full, as metadata of events have it. */
  readonly actor?: string;
  /** Id of the request that started the chain of events. */
  readonly correlation_id?: string;
}

/** Selects the workspace's events to show. */
export class Selection {
  /** The part of the selection that the store itself applies. */
  readonly filter: EventFilter;
  private readonly isOwn: ReturnType<typeof ownedBy>;
  /** Streams that exist, or were deleted although the log still has their events. */
  private readonly found = new Map<string, boolean>();

  /** @throws InvalidError a type that no log holds */
  constructor(
    private readonly application: Application,
    private readonly caller: Caller,
    private readonly query: EventFilters,
  ) {
    this.isOwn = ownedBy(caller);
    this.filter = {
      ...(query.type !== undefined && { types: typesIn(query.type) }),
      ...(query.stream !== undefined && { categories: [categoryOf(query.stream)] }),
    };
  }

  has(event: RecordedEvent): boolean {
    const { stream, actor, correlation_id: correlation } = this.query;
    return (
      this.isOwn(event) &&
      (stream === undefined || event.stream === stream) &&
      (actor === undefined || event.metadata.actor === actor) &&
      (correlation === undefined || event.metadata.correlationId === correlation)
    );
  }

  /** @param event as it was stored @returns null for an event of a stream that was deleted */
  async shown(event: RecordedEvent): Promise<RecordedEvent | null> {
    if (!(await this.isThere(event.stream))) return null;
    // Only shown events are decrypted.
    const opened = 'sealed' in event.data ? await this.application.openedEvents.eventAt(event.position) : event;
    return opened && shownOf(this.application, this.caller, opened);
  }

  private async isThere(stream: string): Promise<boolean> {
    if (STREAM_CATEGORIES[categoryOf(stream) as keyof typeof STREAM_CATEGORIES]?.retention === 'kept') return true;
    let found = this.found.get(stream);
    if (found === undefined) this.found.set(stream, (found = await exists(this.application, stream)));
    return found;
  }
}

async function exists({ storedEvents }: Application, stream: string): Promise<boolean> {
  try {
    for await (const _ of storedEvents.readStream(stream, { limit: 1 })) return true;
    return false;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return false;
    throw error;
  }
}

function typesIn(given: string): readonly string[] {
  const types = given.split(',').map((type) => type.trim());
  const unknown = types.find((type) => !EVENT_TYPES.some((each) => each.type === type));
  if (unknown === undefined) return types;
  const message = `names no type of event: ${JSON.stringify(unknown)}; GET /events/types lists them`;
  throw new InvalidError({ path: ['query', 'type'], message, type: 'unknown' });
}

/** @throws InvalidError for a text that is not a position of this log */
export async function requirePosition({ storedEvents }: Application, field: string, given: Position): Promise<void> {
  const head = (await storedEvents.head()).position ?? '';
  const invalid = (message: string, type: string) => new InvalidError({ path: ['query', field], message, type });
  if (!/^\d+$/.test(given) || given.length !== head.length)
    throw invalid(`must be a position as GET /events shows it, of ${head.length} digits`, 'wrong_type');
  if (given > head) throw invalid("must not be beyond the log's last event", 'out_of_range');
}
