import { Inject, Injectable } from '@nestjs/common';
import { ForbiddenError, QueueFullError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { Authenticator, requirePermission } from './auth/index.js';
import { credentialsOf } from './auth/credentials.js';
import { EVENT_STREAM_HEADERS, namedEvent, Outgoing } from './event-stream.js';
import { badRequest, HttpError } from './errors/http-error.js';
import type { FastifyReply, FastifyRequest } from './http.js';
import type { Logger } from '#primitives/logging/logger.js';
import { LOGGER } from './logging/nest-logger.js';

/** A message of a live stream. */
export interface LiveMessage {
  /** Id that a client sends as `Last-Event-ID` to continue after the message; one without an id is not sent again. */
  readonly id?: number | string;
  readonly data: JsonObject & { readonly type: string };
}

/** Proxies close connections that are silent for a minute or so. */
const HEARTBEAT_MS = 15_000;
/** A stream ends after this long, and its client comes back. */
const LIFETIME_MS = 10 * 60_000;
const LOOK_EVERY_MS = 250;
/** So often it is asked whether the caller may still listen. */
const ADMIT_EVERY_MS = 1_000;
/** Streams of one workspace in one process. */
export const MAX_LIVE_STREAMS = 20;

/** Sends messages as server-sent events, to a bounded number of clients of each workspace. */
@Injectable()
export class LiveMessages {
  private readonly streams = new Map<string, number>();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly authenticator: Authenticator,
  ) {}

  /**
   * Sends messages at the client's pace until they end, the client disconnects or loses its permission, the server
   * stops, or the lifetime is over. A client reconnects by itself unless a message of its stream was marked as the
   * last.
   * @param messages called once there is room, with a signal that aborts when nothing more is sent
   * @throws QueueFullError the workspace has reached its limit of streams
   */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    messages: (signal: AbortSignal) => AsyncIterable<LiveMessage>,
  ): Promise<void> {
    const headers = { ...EVENT_STREAM_HEADERS, 'cache-control': 'no-store' };
    if (request.method === 'HEAD') return void reply.headers(headers).send();
    const leave = this.enter(request.caller!.workspaceId);
    reply.hijack();
    const { raw, server } = reply;
    raw.writeHead(200, headers);
    const out = new Outgoing(raw);
    // Some proxies pass on the headers with the first bytes of the body.
    out.begin(': listening\n\n');
    const ended = new AbortController();
    const end = (): void => ended.abort();
    const heartbeat = setInterval(() => out.add(': heartbeat\n\n'), HEARTBEAT_MS);
    const lifetime = setTimeout(end, LIFETIME_MS);
    const look = setInterval(() => server.connections.closing && end(), LOOK_EVERY_MS);
    const admit = setInterval(() => void this.endUnlessAdmitted(request, end), ADMIT_EVERY_MS);
    raw.once('close', end);
    try {
      for await (const { id, data } of messages(ended.signal)) {
        out.add((id === undefined ? '' : `id: ${id}\n`) + namedEvent(data));
        if (out.isFull) await out.drained();
        if (ended.signal.aborted) break;
      }
    } catch (error) {
      // The status has been sent: the client learns of the fault when it reconnects.
      this.logger.warn({ err: error, requestId: request.id }, 'a stream of live messages ended early');
    } finally {
      clearInterval(heartbeat);
      clearTimeout(lifetime);
      clearInterval(look);
      clearInterval(admit);
      leave();
      out.end();
    }
  }

  /** A key may have been revoked or have expired since, a session ended, a role changed, or the person gone to another workspace. */
  private async endUnlessAdmitted(request: FastifyRequest, end: () => void): Promise<void> {
    try {
      const caller = await this.authenticator.authenticate(credentialsOf(request.headers));
      requirePermission(caller, request);
      if (caller.workspaceId !== request.caller!.workspaceId) end();
    } catch (error) {
      // Any other error is no verdict: the next check decides.
      if (error instanceof HttpError || error instanceof ForbiddenError) end();
    }
  }

  private enter(workspaceId: string): () => void {
    const count = this.streams.get(workspaceId) ?? 0;
    if (count >= MAX_LIVE_STREAMS)
      throw new QueueFullError(
        `the workspace has ${count} open streams of live messages, the maximum; close one first`,
        'live-messages',
        { length: count, limit: MAX_LIVE_STREAMS },
        10,
      );
    this.streams.set(workspaceId, count + 1);
    return () => {
      const left = this.streams.get(workspaceId)! - 1;
      if (left === 0) this.streams.delete(workspaceId);
      else this.streams.set(workspaceId, left);
    };
  }
}

/**
 * The id of the last message that a client has; null if it has none.
 * @throws HttpError 400
 */
export function lastEventId({ headers }: FastifyRequest): number | null {
  const given = headers['last-event-id'];
  if (given === undefined || given === '') return null;
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given);
  throw badRequest('`Last-Event-ID` must be the id of a message of this stream: a whole number');
}
