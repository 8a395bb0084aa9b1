import type { Json, JsonObject } from '#domain/json.js';

/**
 * The bus port: transport between roles, never the truth. What must happen follows from the event log and is offered again
 * after any loss. Subjects are dot-separated words. Proven for every adapter by `contract.ts`.
 */
export interface Bus {
  /**
   * At least once, to one of the takers, now or once there is one. Ids only, never content. The same id offered twice within
   * a few minutes may be delivered once.
   * @throws BusFullError when too many wait on this subject: offer it again later
   * @throws BusUnavailableError when it may not have arrived: offer it again, with the same id
   */
  offer(subject: string, id: string, body: Json): Promise<void>;
  /**
   * One message at a time for each taker, in turns among several. A handler that resolves has taken the message; one that
   * rejects gets it (or another taker does) again, later. A handler has a minute: of one that takes longer, or whose process
   * has died, another taker may get the message too.
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
   * first asked for; leaving the loop early tells the server to stop. The body and each frame are at most 32 MiB of JSON.
   * @throws NoServerError when nobody serves the subject: nothing was done
   * @throws ServerLostError when the server fell silent in the middle: what it has done is not known
   * @throws BusUnavailableError when the bus is out of reach; what was done is not known
   * @throws CallTimedOutError when the deadline passes
   * @throws RemoteError what the server's handler threw: its `code` and message, and the details of a `RemoteError`
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

/** The bus is out of reach now, or broke off. Whether what was sent has arrived is not known; the same may be sent again. */
export class BusUnavailableError extends Error {
  override readonly name = 'BusUnavailableError';
}

export class BusClosedError extends Error {
  override readonly name = 'BusClosedError';
}

export class NoServerError extends Error {
  override readonly name = 'NoServerError';
}

/** The server has died in the middle of a call, or is cut off. */
export class ServerLostError extends Error {
  override readonly name = 'ServerLostError';
}

export class CallTimedOutError extends Error {
  override readonly name = 'CallTimedOutError';
}

/** An error that a server's handler threw. A handler that throws a RemoteError chooses its details. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  constructor(
    readonly code: string,
    message: string,
    /** Facts for programs; the message is for people. */
    readonly details: JsonObject = {},
  ) {
    super(message);
  }
}
