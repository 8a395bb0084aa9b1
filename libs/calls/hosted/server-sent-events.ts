import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';

/**
 * Reads an event stream (WHATWG HTML, section 9.2): takes its bytes, cut anywhere, and returns the `data` of the events
 * that they complete. Names, ids and comments are skipped. A stream that ends in the middle of an event drops that one,
 * as the standard requires.
 */
export function eventStreamReader(): (chunk: Uint8Array) => readonly string[] {
  const decoder = new StringDecoder('utf8');
  let complete: string[] = [];
  const parser = createParser({
    onEvent({ data }) {
      // Some providers send empty data as keep-alive.
      if (data !== '') complete.push(data);
    },
  });
  return (chunk) => {
    complete = [];
    parser.feed(decoder.write(chunk));
    return complete;
  };
}
