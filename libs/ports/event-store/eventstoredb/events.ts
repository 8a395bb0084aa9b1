import {
  jsonEvent,
  type AllStreamRecordedEvent,
  type JSONEventType,
  type JSONEventData,
  type RecordedEvent as StoredEvent,
} from '@eventstore/db-client';
import type { JsonObject } from '#domain/json.js';
import {
  EventTooLargeError,
  type EventMetadata,
  type EventToAppend,
  type ExpectedRevision,
  type RecordedEvent,
} from '../port.js';
import { MAC, type EventMacs, type OwnEvents } from './own-events.js';
import { toPosition } from './position.js';

/** EventStoreDB's own limit for one append. */
const MAX_APPEND_BYTES = 1024 * 1024;
const MAX_STREAM_NAME = 512;

type Sendable = JSONEventType<string, JsonObject, JsonObject>;

/**
 * Validates an append and converts its events for the client.
 * @throws EventTooLargeError
 * @throws RangeError for a programming error: no event, an invalid stream name, an event without id, type or data
 */
export function toSend(
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
  macs: EventMacs | null,
): JSONEventData<Sendable>[] {
  check(stream, expected, events);
  const first = expected.kind === 'exact' ? expected.revision + 1 : 0;
  const bytes = events.reduce(
    (sum, { type, data, metadata }) => sum + 2 * type.length + sizeOf(data) + sizeOf(metadata),
    0,
  );
  if (bytes > MAX_APPEND_BYTES) {
    throw new EventTooLargeError(`an append to ${stream} has ${bytes} bytes; at most ${MAX_APPEND_BYTES} are taken`);
  }
  return events.map((event, at) => {
    const { id, type, data, metadata } = event;
    const mac = macs && { [MAC]: macs.of({ ...event, stream, revision: first + at }) };
    return jsonEvent<Sendable>({ id, type, data, metadata: { ...metadata, ...mac } });
  });
}

/**
 * Null for the server's own events and for events in a foreign format.
 * @throws ForeignEventError
 */
export function toRecorded(
  event: StoredEvent | AllStreamRecordedEvent | undefined,
  own: Pick<OwnEvents, 'require'> | null,
): RecordedEvent | null {
  if (!event?.isJson || isSystems(event)) return null;
  const { id, type, streamId, revision, data, metadata, position } = event as AllStreamRecordedEvent;
  if (!isObject(data) || !isObject(metadata) || metadata instanceof Uint8Array) return null;
  const { [MAC]: mac, ...written } = metadata as unknown as EventMetadata & { readonly [MAC]?: unknown };
  const recorded = {
    ...{ id, type, data: data as JsonObject, metadata: written, stream: streamId },
    ...{ revision: Number(revision), position: toPosition(position) },
  };
  own?.require(recorded, mac);
  return recorded;
}

const isSystems = ({ type, streamId }: StoredEvent): boolean => type.startsWith('$') || streamId.startsWith('$');

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

function check(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): void {
  if (!usable(stream) || stream.length > MAX_STREAM_NAME || stream.startsWith('$')) {
    throw new RangeError(
      `a stream's name has 1 to ${MAX_STREAM_NAME} characters of valid Unicode, and begins with no $`,
    );
  }
  if (expected.kind === 'exact' && !(Number.isSafeInteger(expected.revision) && expected.revision >= 0)) {
    throw new RangeError(`${expected.revision} is not a revision of ${stream}: they are 0 and up`);
  }
  if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
  for (const { id, type, data, metadata } of events) {
    const fit = usable(id) && usable(type) && !type.startsWith('$') && isObject(data) && isObject(metadata);
    if (!fit) throw new RangeError(`an event for ${stream} needs an id, a type, data and metadata`);
  }
}

const usable = (text: unknown): text is string => typeof text === 'string' && text.length > 0 && text.isWellFormed();
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
