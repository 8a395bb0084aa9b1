import type { ServerResponse } from 'node:http';
import type { AnswerStream } from '#calls/index.js';
import type { GenerationEvent } from '#hosted-models/port.js';
import type { HttpError } from '../../errors/http-error.js';
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
  error(error: HttpError, requestId: string): string;
}

const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };

/**
 * Sends a run that has begun, at the pace at which the client takes it. Nothing of it is thrown: the answer has begun.
 * @param told what an error in the middle is to the client
 */
export async function sendEvents(
  reply: FastifyReply,
  run: AnswerStream,
  encoder: StreamEncoder,
  told: (error: unknown) => HttpError,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, HEADERS);
  const out = new Outgoing(raw);
  try {
    out.add(encoder.begin());
    // Else the status goes out with the first piece of text.
    if (out.isEmpty) raw.flushHeaders();
    // By hand: a loop over them would tell a run that is left nothing of why.
    const events = run.events[Symbol.asyncIterator]();
    for (let next = await events.next(); !next.done; next = await events.next()) {
      out.add(encoder.batch(next.value));
      if (out.isFull) await out.drained();
      if (raw.destroyed) break;
    }
    if (!raw.destroyed) out.add(encoder.end());
  } catch (error) {
    await run.leave(error);
    // Who has gone is told nothing, and is no error of ours.
    if (!raw.destroyed) out.add(encoder.error(told(error), reply.request.id));
  }
  if (raw.destroyed) await run.leave();
  else out.end();
}

/** A client that takes nothing for so long has gone, whether it says so or not. */
const STALLED_MS = 120_000;
/** In UTF-16 units: no more is put together before it is written. */
const MAX_CONCURRENT = 64 * 1024;

/** What comes in one turn of the event loop is written at once: each write costs a call of the system. */
class Outgoing {
  private text = '';
  private isScheduled = false;
  private readonly flush = () => {
    this.isScheduled = false;
    if (this.text !== '' && !this.raw.destroyed) this.raw.write(this.text);
    this.text = '';
  };

  constructor(private readonly raw: ServerResponse) {}

  get isEmpty(): boolean {
    return this.text === '';
  }

  get isFull(): boolean {
    return this.raw.writableNeedDrain;
  }

  add(text: string): void {
    if (text === '') return;
    this.text += text;
    if (this.text.length >= MAX_CONCURRENT) return this.flush();
    if (this.isScheduled) return;
    this.isScheduled = true;
    // After the promises that can be kept without anything new.
    process.nextTick(this.flush);
  }

  end(): void {
    this.raw.end(this.text);
    this.text = '';
  }

  /** Resolves once the client has taken what was written, or has gone. */
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
