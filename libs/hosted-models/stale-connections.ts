import type { buildConnector } from 'undici';

/**
 * Tells the errors of connections that had served a request before: the provider closed them while they were kept, and a request
 * went out before that was known. Such a request has not been answered, and is sent again.
 */
export class StaleConnections {
  private readonly errors = new WeakSet<object>();

  /** A connector that knows the errors of its connections. */
  watching(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result;
        // Before undici's own listener.
        socket?.prependListener('error', (error: Error) => {
          if (socket.bytesRead > 0) this.errors.add(error);
        });
        callback(...result);
      });
  }

  caused(error: unknown): boolean {
    const { code, socket } = error as { code?: string; socket?: { bytesRead?: number } };
    if (code === 'UND_ERR_SOCKET') return (socket?.bytesRead ?? 0) > 0;
    return this.errors.has(error as object);
  }
}
