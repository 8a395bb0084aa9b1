import type { DomainEvent } from '#domain/decider.js';
import { InvalidError, NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { HandledTypes } from '#log/projector/handled-types.js';
import { evolve } from '#log/projector/handlers.js';
import type { Projection } from '#log/projector/projection.js';
import { StreamNotFoundError, type EventStore, type Position, type RecordedEvent } from '#ports/event-store/port.js';
import type { Application } from './application.js';
import type { Caller } from './caller.js';
import { asUnavailable, writtenByNewerRelease } from '#log/execute.js';

/** A point of the log: every event up to this time (ISO 8601, UTC with milliseconds) or position, inclusive. */
export type PointInLog = { readonly time: string } | { readonly position: Position };

/** A request for a resource as it was at a point of the log. */
export interface AsOfRequest {
  /** The point in words: the time in UTC, or the position. */
  readonly given: string;
  readonly point: PointInLog;
  /**
   * Names in the answer's headers the last event that it reflects, and the fields that may be incomplete compared with
   * then.
   */
  answer(position: Position, leftOut?: readonly string[]): void;
}

/** The documents of a projection that one stream had produced by a point. */
export interface Past<Document> {
  /** By id; null if a document had been removed by then. */
  readonly documents: ReadonlyMap<string, Document | null>;
  /** Position of the last event up to the point; null if the stream began later. */
  readonly position: Position | null;
}

/**
 * The documents that a projection makes of one stream's events up to a point, by the projection's own handlers.
 * @returns null if there is no such stream, or its first event is another workspace's
 * @throws InvalidError the point does not belong to this log, or is in the future
 */
export async function documentsAsOf<Document extends JsonObject, Event extends DomainEvent>(
  application: Application,
  projection: Projection<Document, Event>,
  { stream, workspaceId }: { readonly stream: string; readonly workspaceId: string },
  point: PointInLog,
): Promise<Past<Document> | null> {
  const { eventStore } = application.ports;
  await requirePassed(eventStore, point);
  const plain = projection as unknown as Projection<Document>;
  const types = new HandledTypes(plain.on);
  const documents = new Map<string, Document | null>();
  let position: Position | null = null;
  try {
    for await (const event of eventStore.readStream(stream)) {
      if (event.revision === 0 && event.metadata.workspaceId !== workspaceId) return null;
      if (isAfter(event, point)) break;
      ({ position } = event);
      if (types.isUnknownVersion(event.type)) throw writtenByNewerRelease(event.type);
      const id = types.has(event.type) ? plain.key(event) : null;
      if (id === null) continue;
      const before = documents.get(id) ?? null;
      const after = evolve<Document | null>(plain.on, before, event);
      if (after !== before) documents.set(id, after);
    }
  } catch (error) {
    if (error instanceof StreamNotFoundError) return null;
    throw asUnavailable(error);
  }
  return { documents, position };
}

/** A resource that one stream decides. */
interface Resource<Document extends JsonObject, Event extends DomainEvent> {
  readonly projection: Projection<Document, Event>;
  readonly stream: string;
  /** The document's id. */
  readonly id: string;
  /** For errors: the kind of resource, and the id that the client knows. */
  readonly what: string;
  readonly shownId?: string;
  /** Fields that do not follow from the stream. */
  readonly leftOut?: (document: Document) => readonly string[];
}

/**
 * The document of a resource as it was then.
 * @throws NotFoundError unknown, of another workspace, or not there then
 */
export async function documentAsOf<Document extends JsonObject, Event extends DomainEvent>(
  application: Application,
  { workspaceId }: Pick<Caller, 'workspaceId'>,
  asOf: AsOfRequest,
  { projection, stream, id, what, shownId = id, leftOut }: Resource<Document, Event>,
): Promise<Document> {
  const past = await documentsAsOf(application, projection, { stream, workspaceId }, asOf.point);
  if (past === null) throw new NotFoundError(what, shownId);
  const document = past.documents.get(id);
  if (!document) throw notThen(what, shownId, asOf, document === null);
  answerFrom(past, asOf, leftOut?.(document));
  return document;
}

/** A document existed, so an event did. */
export function answerFrom({ position }: Past<unknown>, asOf: AsOfRequest, leftOut?: readonly string[]): void {
  if (position !== null) asOf.answer(position, leftOut);
}

const notThen = (what: string, id: string, { given }: AsOfRequest, wasDeleted: boolean): NotFoundError =>
  new NotFoundError(what, id, wasDeleted ? 'it had been deleted by then' : 'it was made later', given);

/**
 * The last event of the log up to a point. Of events whose times are not in the order of the log, the last one by that time counts.
 * @throws InvalidError the point is not one of this log, is yet to come, or is before its first event
 */
export async function lastEventBy(
  eventStore: EventStore,
  point: PointInLog,
): Promise<{ readonly position: Position; readonly time: string }> {
  await requirePassed(eventStore, point);
  const exact = 'position' in point ? await eventStore.eventAt(point.position) : null;
  if (exact) return placeOf(exact);
  const after = 'position' in point ? { after: point.position } : {};
  for await (const event of eventStore.readAll({ direction: 'backwards', ...after }))
    if (!isAfter(event, point)) return placeOf(event);
  throw invalid("must not be before the log's first event", 'out_of_range');
}

const placeOf = ({ position, metadata }: RecordedEvent) => ({ position, time: metadata.occurredAt });

const isAfter = ({ metadata, position }: RecordedEvent, point: PointInLog): boolean =>
  'time' in point ? metadata.occurredAt > point.time : position > point.position;

/** An answer for a point in the future would change later. */
async function requirePassed(eventStore: EventStore, point: PointInLog): Promise<void> {
  if ('time' in point) {
    if (point.time > new Date().toISOString())
      throw invalid(`must not be in the future (got ${point.time})`, 'out_of_range');
    return;
  }
  const head = (await eventStore.head()).position ?? '';
  if (point.position.length !== head.length)
    throw invalid(`must be a position of the log, of ${head.length} digits`, 'wrong_type');
  if (point.position > head) throw invalid("must not be beyond the log's last event", 'out_of_range');
}

const invalid = (message: string, type: string): InvalidError => new InvalidError({ path: ['asOf'], message, type });
