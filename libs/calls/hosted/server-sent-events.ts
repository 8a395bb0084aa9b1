import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';

/**
 * Reads an event stream (WHATWG HTML, section 9.2): takes its bytes, cut anywhere, and returns the `data` of the events
 * that they complete. Names, ids and comments are skipped. The last event may lack its blank line, which some servers leave out, although
 * the standard drops it then: null is the end.
 */
export function eventStreamReader(): (chunk: Uint8Array | null) => readonly string[] {
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
    parser.feed(chunk === null ? `${decoder.end()}\n\n` : decoder.write(chunk));
    return complete;
  };
}
