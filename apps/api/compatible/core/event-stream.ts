import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { GenerationRun } from '#application/calls/index.js';
import type { GenerationEvent } from '#hosted-models/port.js';
import type { HttpError } from '../../errors/http-error.js';
import { toHttpError } from '../../errors/map.js';
import type { FastifyReply } from '../../http.js';

/** How a dialect writes an answer as server-sent events. It keeps what it has to know of the answer so far. */
export interface StreamEncoder {
  /** What comes before the first events. */
  begin(): string;
  /** '' where a batch says nothing in this dialect. */
  batch(events: readonly GenerationEvent[]): string;
  /** After the last batch: the call is on the log. */
  end(): string;
  /** The dialect's own event for an error in the middle; the stream ends with it. */
  error(error: HttpError): string;
}

/** Sends a run that has begun, at the pace at which the client takes it. */
export async function sendEvents(reply: FastifyReply, run: GenerationRun, encoder: StreamEncoder): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  let text = encoder.begin();
  try {
    for await (const batch of run.events) {
      text += encoder.batch(batch);
      if (text !== '' && !raw.write(text)) await drained(raw);
      text = '';
      if (raw.destroyed) break;
    }
    text += encoder.end();
  } catch (error) {
    text += encoder.error(toHttpError(error));
  }
  raw.end(text);
}

/** Or closed. */
async function drained(raw: ServerResponse): Promise<void> {
  if (raw.destroyed) return;
  const gone = new AbortController();
  await Promise.race([once(raw, 'drain', gone), once(raw, 'close', gone)]).catch(() => undefined);
  gone.abort();
}

/** An event without a name. */
export const dataEvent = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** An event with its name, which its data repeats as `type`. */
export const namedEvent = (value: { readonly type: string }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
