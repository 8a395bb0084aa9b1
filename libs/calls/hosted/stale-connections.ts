import type { buildConnector } from 'undici';

/**
 * Codes of connections that the provider closed. Other codes are local: a late request is destroyed with undici's
 * error, and may have been answered.
 */
const CLOSED = new Set<string | undefined>(['ECONNRESET', 'EPIPE']);
/** A connection that had been closed fails within this time. */
const AT_ONCE_MS = 1_000;

/**
 * Recognizes errors of stale connections: the provider closed them while they were kept alive, and a request was sent
 * before that was known. Such a request was not answered, and is retried.
 */
export class StaleConnections {
  private readonly errors = new WeakSet<object>();

  /** A connector that knows the errors of its connections. */
  watching(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result;
        // Runs before undici's own listener.
        socket?.prependListener('error', (error: Error) => {
          if (socket.bytesRead > 0 && CLOSED.has((error as NodeJS.ErrnoException).code)) this.errors.add(error);
        });
        callback(...result);
      });
  }

  /** @param ms since the request was sent: a later failure may have happened after the server began to work on it */
  caused(error: unknown, ms: number): boolean {
    if (ms > AT_ONCE_MS) return false;
    const { code, socket } = error as { code?: string; socket?: { bytesRead?: number } };
    if (code === 'UND_ERR_SOCKET') return (socket?.bytesRead ?? 0) > 0;
    return this.errors.has(error as object);
  }
}
