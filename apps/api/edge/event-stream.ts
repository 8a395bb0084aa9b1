import type { ServerResponse } from 'node:http';
import type { AnswerStream } from '#calls/index.js';
import type { GenerationEvent } from '#calls/hosted/port.js';
import type { HttpError } from './errors/http-error.js';
import type { FastifyReply } from './http.js';

/** Writes a dialect's answer as server-sent events, and holds the state that this needs. */
export interface StreamEncoder {
  /** Text before the first events. */
  begin(): string;
  /** Empty if the batch has no counterpart in this dialect. */
  batch(events: readonly GenerationEvent[]): string;
  /** Text after the last batch, when the call is on the log. */
  end(): string;
  /** The dialect's own event for an error in the middle; the stream ends with it. */
  error(error: HttpError, requestId: string): string;
}

export const EVENT_STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };

/**
 * Sends a started run at the client's pace. Never throws, because the answer has started.
 * @param told the error as the client sees it in mid-stream
 */
export async function sendEvents(
  reply: FastifyReply,
  run: AnswerStream,
  encoder: StreamEncoder,
  told: (error: unknown) => HttpError,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, EVENT_STREAM_HEADERS);
  const out = new Outgoing(raw);
  try {
    out.begin(encoder.begin());
    // Not a `for await`, which would not pass the reason to an abandoned run.
    const events = run.events[Symbol.asyncIterator]();
    for (let next = await events.next(); !next.done; next = await events.next()) {
      out.add(encoder.batch(next.value));
      if (out.isFull) await out.drained();
      if (raw.destroyed) break;
    }
    if (!raw.destroyed) out.add(encoder.end());
  } catch (error) {
    await run.leave(error);
    // A request aborted by its client is not an error.
    if (!raw.destroyed) out.add(encoder.error(told(error), reply.request.id));
  }
  if (raw.destroyed) await run.leave();
  else out.end();
}

/** A client that reads nothing for this long counts as disconnected. */
const STALLED_MS = 120_000;
/** Most UTF-16 units assembled before a write. */
const MAX_CONCURRENT = 64 * 1024;

/** Writes the text of one event-loop turn at once, because every write costs a system call. */
export class Outgoing {
  private text = '';
  private isScheduled = false;
  private isStatusDue = false;
  private readonly flush = () => {
    this.isScheduled = false;
    const { raw, text } = this;
    if (!raw.destroyed && text !== '') raw.write(text);
    else if (!raw.destroyed && this.isStatusDue) raw.flushHeaders();
    this.isStatusDue = false;
    this.text = '';
  };

  constructor(private readonly raw: ServerResponse) {}

  get isFull(): boolean {
    return this.raw.writableNeedDrain;
  }

  /** Sends the status in this turn: with the text of this turn, if there is any. */
  begin(text: string): void {
    this.isStatusDue = true;
    this.text = text;
    this.schedule();
  }

  add(text: string): void {
    if (text === '') return;
    this.text += text;
    if (this.text.length >= MAX_CONCURRENT) this.flush();
    else this.schedule();
  }

  end(): void {
    this.isStatusDue = false;
    this.raw.end(this.text);
    this.text = '';
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    // Runs after promises that resolve without new input.
    process.nextTick(this.flush);
  }

  /** Resolves once the client has read everything written, or has disconnected. */
  drained(): Promise<void> {
    const { raw } = this;
    if (raw.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const stalled = setTimeout(() => raw.destroy(), STALLED_MS);
      const done = () => {
        clearTimeout(stalled);
        raw.off('drain', done);
        raw.off('close', done);
        resolve();
      };
      raw.on('drain', done);
      raw.on('close', done);
    });
  }
}

/** An event without a name. */
export const dataEvent = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** An event with its name, which its data repeats as `type`. */
export const namedEvent = <Event extends { readonly type: string }>(value: Event): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
