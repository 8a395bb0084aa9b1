import type { FastifyInstance } from 'fastify';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HttpError } from '../errors/http-error.js';
import { clientNetwork } from './client-network.js';
import { HeldBytes } from './held-bytes.js';
import type { ConnectionLimits } from './limits.js';

/** Refuses a request that is too slow, in its route's error shape. */
type Refuse = (error: HttpError) => void;

/** A connection, and the last request on it. Any earlier one has come whole. */
interface Connection {
  readonly network: string;
  request: IncomingMessage | null;
  response: ServerResponse | null;
  refuse: Refuse | null;
  /** Milliseconds that its body may take; null: unlimited while it progresses. */
  bodyMs: number | null;
  /** When its unfinished body was first seen; 0: not yet. */
  seenAt: number;
  /** When its answer was first seen to precede the end of its body; 0: not yet. */
  answeredAt: number;
  spanAt: number;
  spanBytes: number;
  /** Bytes read when its last request was answered; later bytes belong to the next request. */
  settledBytes: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** Makes the connections available to other parts of the API. */
export function addConnections(fastify: FastifyInstance, connections: Connections): void {
  fastify.decorate('connections', connections);
  fastify.addHook('onClose', (_fastify, done) => {
    connections.stop();
    done();
  });
}

/**
 * The connections of the API's server: how many there are, and whether bodies come fast enough. Headers have a deadline of
 * Node's own (`headersTimeout`). A request costs a look-up here; times are looked at by one timer for all.
 */
export class Connections {
  readonly held: HeldBytes;
  /** Whether the server refuses further requests. */
  closing = false;
  private readonly connections = new Map<Socket, Connection>();
  private readonly byNetwork = new Map<string, number>();
  private readonly expecting = new WeakMap<IncomingMessage, ServerResponse>();
  private readonly timer: NodeJS.Timeout;

  /** @param boundsAddresses whether the bound on connections by address holds */
  constructor(
    readonly limits: ConnectionLimits,
    private readonly boundsAddresses: boolean,
  ) {
    this.held = new HeldBytes(limits);
    this.timer = setInterval(() => this.look(), limits.checkEveryMs).unref();
  }

  /** A server whose connections are watched; Fastify makes one for each address that HOST names. */
  createServer(handler: RequestListener): Server {
    const server = createServer({
      headersTimeout: this.limits.headersMs,
      connectionsCheckingInterval: this.limits.checkEveryMs,
      // An upload may take as long as it progresses, which is checked here; silent connections are closed.
      requestTimeout: 0,
      keepAliveTimeout: 72_000,
    });
    server.setTimeout(SILENT_MS);
    server.maxConnections = this.limits.maxConnections;
    server.on('connection', (socket: Socket) => this.connected(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.began(request, response));
    server.on('request', handler);
    // Otherwise Node requests the body immediately, even if the answer does not need it.
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      this.expecting.set(request, response);
      server.emit('request', request, response);
    });
    return server;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Call it when a body begins to be read. @param bodyMs maximum milliseconds; null: unlimited while bytes arrive */
  reads(request: IncomingMessage, bodyMs: number | null, refuse: Refuse): void {
    const connection = this.connections.get(request.socket);
    if (connection?.request === request) Object.assign(connection, { bodyMs, refuse });
    const expecting = this.expecting.get(request);
    if (!expecting) return;
    this.expecting.delete(request);
    expecting.shouldKeepAlive = request.headers.connection !== 'close' && request.httpVersionMinor > 0;
    expecting.writeContinue();
  }

  /** Connections without a byte of an unanswered request. */
  idle(): readonly Socket[] {
    const idle: Socket[] = [];
    for (const [socket, connection] of this.connections) {
      settle(socket, connection);
      if (connection.request === null && socket.bytesRead === connection.settledBytes) idle.push(socket);
    }
    return idle;
  }

  private connected(socket: Socket): void {
    const network = clientNetwork(socket.remoteAddress ?? '');
    const count = (this.byNetwork.get(network) ?? 0) + 1;
    if (this.boundsAddresses && count > this.limits.maxConnectionsByAddress) {
      socket.destroy();
      return;
    }
    this.byNetwork.set(network, count);
    this.connections.set(socket, { network, request: null, response: null, refuse: null, ...UNSEEN });
    socket.once('close', () => this.closed(socket, network));
  }

  private closed(socket: Socket, network: string): void {
    this.connections.delete(socket);
    const left = (this.byNetwork.get(network) ?? 1) - 1;
    if (left > 0) this.byNetwork.set(network, left);
    else this.byNetwork.delete(network);
  }

  private began(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.get(request.socket);
    if (!connection) return;
    connection.request = request;
    connection.response = response;
    connection.refuse = null;
    connection.bodyMs = this.limits.bodyMs;
    connection.seenAt = 0;
    connection.answeredAt = 0;
    // The connection ends with an answer sent before the body was requested: the client may or may not send it then.
    if (this.expecting.has(request)) response.shouldKeepAlive = false;
  }

  private look(): void {
    const now = performance.now();
    for (const [socket, connection] of this.connections) {
      settle(socket, connection);
      const { request } = connection;
      if (request === null || request.complete) continue;
      const late = this.lateness(socket, connection, request, now);
      if (late !== null) cut(socket, connection, late, now);
    }
  }

  /** @returns how the body is too slow; null if it is not */
  private lateness(socket: Socket, it: Connection, request: IncomingMessage, now: number): string | null {
    const { paceMs, minBytesPerSecond, lingerMs } = this.limits;
    if (it.seenAt === 0) {
      it.seenAt = now;
      startSpan(it, socket, now);
      return null;
    }
    if (it.response?.writableEnded) {
      if (it.answeredAt === 0) it.answeredAt = now;
      if (now - it.answeredAt >= lingerMs) return 'the request was answered before its end';
    }
    if (it.bodyMs !== null && now - it.seenAt >= it.bodyMs)
      return `the body must come within ${it.bodyMs / 1000} seconds`;
    // Received bytes are still unread, so the client is not the slow side.
    if (request.readableLength >= request.readableHighWaterMark) startSpan(it, socket, now);
    const span = now - it.spanAt;
    if (span < paceMs) return null;
    const isSlow = socket.bytesRead - it.spanBytes < (span / 1000) * minBytesPerSecond;
    startSpan(it, socket, now);
    return isSlow ? `the body must come at ${minBytesPerSecond} bytes a second or more` : null;
  }
}

/** A connection silent for this long is closed, whatever its request waits for. */
const SILENT_MS = 120_000;
const UNSEEN = { bodyMs: null, seenAt: 0, answeredAt: 0, spanAt: 0, spanBytes: 0, settledBytes: 0 };

function startSpan(connection: Connection, socket: Socket, now: number): void {
  connection.spanAt = now;
  connection.spanBytes = socket.bytesRead;
}

/** Closes the connection, with a 408 if the request can still be answered. */
function cut(socket: Socket, connection: Connection, why: string, now: number): void {
  const { refuse, response } = connection;
  if (refuse === null || response === null || response.headersSent || connection.answeredAt !== 0) {
    socket.destroy();
    return;
  }
  connection.refuse = null;
  connection.answeredAt = now;
  response.shouldKeepAlive = false;
  refuse(new HttpError(408, `the request was too slow: ${why}`, { code: 'request_timeout' }));
}

/** Lets go of a request that has ended. */
function settle(socket: Socket, connection: Connection): void {
  if (!connection.request?.complete || connection.response?.writableFinished !== true) return;
  connection.request = connection.response = connection.refuse = null;
  connection.settledBytes = socket.bytesRead;
}
