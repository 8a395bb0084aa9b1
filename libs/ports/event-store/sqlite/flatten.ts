import { comesWithCalls } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import type { Packer } from '#primitives/packing/index.js';
import { EventTooLargeError, type EventToAppend, type ExpectedRevision } from '../port.js';
import { PACKED, type FlatEvents } from './writes.js';

/** Bytes of an event, and of a whole append: EventStoreDB's own limit, so that no adapter takes what another refuses. */
const MAX_APPEND_BYTES = 1024 * 1024;
const MAX_STREAM_NAME = 512;

/**
 * Checks an append and turns its events into strings, which is how they travel and are stored.
 * @param packer packs those that it can; absent: all are JSON
 * @throws EventTooLargeError
 * @throws RangeError when the call is a mistake: an empty list, an unusable stream name, an event that lacks id, type or data
 */
export function flatten(
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
  packer?: Packer,
): FlatEvents {
  check(stream, expected, events);
  const flat: string[] = [];
  let characters = 0;
  for (const event of events) {
    const { id, type, data, metadata } = event;
    const packed = isPackable(event) ? packer?.pack([data, metadata as unknown as JsonObject]) : null;
    if (packed) {
      characters += packed.characters;
      // A character for each byte, which is cheap to hand to a thread.
      flat.push(id, type, packed.bytes.toString('latin1'), PACKED);
      continue;
    }
    const json = [JSON.stringify(data), JSON.stringify(metadata)] as const;
    characters += json[0].length + json[1].length;
    flat.push(id, type, ...json);
  }
  // A character is at most three bytes of UTF-8, so that most appends need not be measured.
  if (characters * 3 <= MAX_APPEND_BYTES) return flat;
  // The limit is one of JSON.
  if (packer) return flatten(stream, expected, events);
  measure(stream, flat);
  return flat;
}

/** Events of calls, of which there are many, as long as they have no text by people: texts that the log keeps stay for ever. */
export const isPackable = ({ type, data }: EventToAppend): boolean =>
  comesWithCalls(type) && data['content'] === undefined;

/** Checked before the writer, where an invalid event would fail its whole group. */
function check(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): void {
  if (!usable(stream) || stream.length > MAX_STREAM_NAME) {
    throw new RangeError(`a stream's name has 1 to ${MAX_STREAM_NAME} characters of valid Unicode`);
  }
  if (expected.kind === 'exact' && !(Number.isSafeInteger(expected.revision) && expected.revision >= 0)) {
    throw new RangeError(`${expected.revision} is not a revision of ${stream}: they are 0 and up`);
  }
  if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
  for (const { id, type, data, metadata } of events) {
    const fit = usable(id) && usable(type) && isObject(data) && isObject(metadata);
    if (!fit) throw new RangeError(`an event for ${stream} needs an id, a type, data and metadata`);
  }
}

const usable = (text: unknown): boolean => typeof text === 'string' && text.length > 0 && text.isWellFormed();
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

function measure(stream: string, flat: FlatEvents): void {
  const bytes = flat.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_APPEND_BYTES) {
    throw new EventTooLargeError(`an append to ${stream} has ${bytes} bytes; at most ${MAX_APPEND_BYTES} are taken`);
  }
}
