import { EventTooLargeError, type EventToAppend } from '../port.js';
import type { FlatEvents } from './writes.js';

/** Bytes of an event, and of a whole append: EventStoreDB's own limit, so that no adapter takes what another refuses. */
const LARGEST_APPEND = 1024 * 1024;
const LONGEST_STREAM_NAME = 512;

/**
 * Checks an append and turns its events into strings, which is how they travel and are stored.
 * @throws EventTooLargeError
 * @throws RangeError when there is no event, or no usable stream name
 */
export function flatten(stream: string, events: readonly EventToAppend[]): FlatEvents {
  if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
  if (stream.length === 0 || stream.length > LONGEST_STREAM_NAME) {
    throw new RangeError(`a stream's name has 1 to ${LONGEST_STREAM_NAME} characters`);
  }
  const flat: string[] = [];
  let characters = 0;
  for (const { id, type, data, metadata } of events) {
    const json = [JSON.stringify(data), JSON.stringify(metadata)] as const;
    characters += json[0].length + json[1].length;
    flat.push(id, type, ...json);
  }
  // A character is at most three bytes of UTF-8, so that most appends need not be measured.
  if (characters * 3 > LARGEST_APPEND) measure(stream, flat);
  return flat;
}

function measure(stream: string, flat: FlatEvents): void {
  const bytes = flat.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > LARGEST_APPEND) {
    throw new EventTooLargeError(`an append to ${stream} has ${bytes} bytes; at most ${LARGEST_APPEND} are taken`);
  }
}
