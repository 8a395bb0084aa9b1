import type { Json } from '#domain/json.js';

/**
 * The bus port: transport between roles, never the truth. What must happen follows from the event log and is offered again
 * after any loss. Subjects are dot-separated words. Proven for every adapter by `contract.ts`.
 */
export interface Bus {
  /**
   * At least once, to one of the takers, now or once there is one. Ids only, never content. The same id offered twice within
   * a few minutes may be delivered once.
   * @throws BusFullError when too many wait on this subject: offer it again later
   */
  offer(subject: string, id: string, body: Json): Promise<void>;
  /**
   * One message at a time for each taker, in turns among several. A handler that resolves has taken the message; one that
   * rejects gets it (or another taker does) again, later.
   */
  take(subject: string, handler: (body: Json) => Promise<void>): Subscription;

  /**
   * At most once, to every listener, in the order given, after the caller has gone on: progress, heartbeats, cancellations,
   * checkpoint advances.
   */
  signal(subject: string, body: Json): void;
  listen(subject: string, handler: (body: Json) => void): Subscription;

  /**
   * A request answered by one server as a stream of frames (one frame for a plain answer). It is sent when its frames are
   * first asked for; leaving the loop early tells the server to stop.
   * @throws NoServerError when nobody serves the subject
   * @throws CallTimedOutError when the deadline passes
   * @throws RemoteError what the server's handler threw: its `code` and message
   */
  call(subject: string, body: Json, options: CallOptions): AsyncIterable<Json>;
  serve(subject: string, handler: CallHandler): Subscription;

  /** Takes nothing more; resolves when what is in hand is done. */
  close(): Promise<void>;
}

export interface CallOptions {
  /** For the whole answer, counted from when it is sent. */
  readonly deadlineMs: number;
  /** Aborting tells the server to stop. */
  readonly signal?: AbortSignal;
}

export type CallHandler = (
  body: Json,
  context: { readonly signal: AbortSignal },
) => AsyncIterable<Json> | Promise<Json>;

export interface Subscription {
  /** Takes no more messages; resolves when those in hand are done. */
  stop(): Promise<void>;
}

/** The single frame of a plain answer. */
export async function callOnce(bus: Bus, subject: string, body: Json, options: CallOptions): Promise<Json> {
  for await (const frame of bus.call(subject, body, options)) return frame;
  return null;
}

export class BusFullError extends Error {
  override readonly name = 'BusFullError';
}

export class BusClosedError extends Error {
  override readonly name = 'BusClosedError';
}

export class NoServerError extends Error {
  override readonly name = 'NoServerError';
}

export class CallTimedOutError extends Error {
  override readonly name = 'CallTimedOutError';
}

export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
