import type { Json, JsonObject } from '#domain/json.js';

/**
 * The bus port: transport between roles, never the truth. What must happen follows from the event log and is offered again
 * after any loss. Subjects are dot-separated words. Proven for every adapter by `contract.ts`.
 */
export interface Bus {
  /**
   * Delivers a message at least once to one of the takers, present or future. Ids only, never content. The same id
   * offered twice within a few minutes may be delivered once.
   * @throws BusFullError when too many messages wait on the subject: retry later
   * @throws BusUnavailableError when the message may not have arrived: retry with the same id
   */
  offer(subject: string, id: string, body: Json): Promise<void>;
  /**
   * Takes one message at a time, in turns with other takers. A message is done when its handler resolves; a rejection
   * delivers it again later, to this or another taker. After a minute, or when the process dies, another taker may also
   * get it.
   */
  take(subject: string, handler: (body: Json) => Promise<void>): Subscription;

  /**
   * Sends a message at most once to every listener, in order, asynchronously: progress, heartbeats, cancellations,
   * checkpoint advances.
   */
  signal(subject: string, body: Json): void;
  listen(subject: string, handler: (body: Json) => void): Subscription;

  /**
   * A request answered by one server as a stream of frames (one frame for a plain answer). It is sent when its frames
   * are first requested; leaving the loop early tells the server to stop. The body and each frame are at most 32 MiB of
   * JSON.
   * @throws NoServerError when the subject has no server: nothing was done
   * @throws ServerLostError when the server fell silent during the call: the outcome is unknown
   * @throws BusUnavailableError when the bus is unreachable: the outcome is unknown
   * @throws CallTimedOutError when the deadline passes
   * @throws RemoteError what the server's handler threw: its `code` and message, and the details of a `RemoteError`
   */
  call(subject: string, body: Json, options: CallOptions): AsyncIterable<Json>;
  serve(subject: string, handler: CallHandler, options?: ServeOptions): Subscription;

  /** Accepts nothing more; resolves when current work is done. */
  close(): Promise<void>;
}

export interface CallOptions {
  /** Limit for the whole answer, counted from the sending of the call. */
  readonly deadlineMs: number;
  /** Aborting tells the server to stop. */
  readonly signal?: AbortSignal;
}

export interface ServeOptions {
  /** Aborting ends the calls in hand at once, also those whose callers read nothing; the callers get its reason as an error. */
  readonly cutOff?: AbortSignal;
}

export type CallHandler = (
  body: Json,
  context: { readonly signal: AbortSignal },
) => AsyncIterable<Json> | Promise<Json>;

export interface Subscription {
  /** Stops accepting messages; resolves when the current ones are done. */
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

/** The bus is unreachable, or failed during the call. The message may have arrived; it may be sent again. */
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
