import { EventSourceParserStream } from 'eventsource-parser/stream';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { TestApi } from './api.js';

/** A message of an open stream of server-sent events. */
export interface Heard {
  readonly id: string | null;
  readonly event: string | null;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
  readonly data: any;
}

/** Listens to a route with the key, on a connection of its own; the stream ends when the server ends it, or with `close`. */
export async function listen(
  { url, key }: Pick<TestApi, 'url' | 'key'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const request = get(url + path, { headers: { 'x-api-key': key, ...headers }, agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const parsed = (Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  const messages = (async function* (): AsyncGenerator<Heard> {
    for await (const { id = null, event = null, data } of parsed)
      yield { id, event, data: JSON.parse(data) as unknown };
  })();
  return {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    messages,
    /** The next one. @throws Error the stream has ended */
    next: async (): Promise<Heard> => {
      const { value, done } = await messages.next();
      if (done) throw new Error('the stream has ended');
      return value;
    },
    close: (): void => void request.destroy(),
  };
}
