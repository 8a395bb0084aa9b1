import type { FastifyRequest } from './http.js';

/**
 * Runs something with a signal that aborts when the client closes its connection before it has been answered. Meanwhile the
 * connection may be silent for as long as that takes: whoever runs it has deadlines of its own.
 */
export async function untilClientGone<T>(
  { raw: { socket }, server: { server } }: FastifyRequest,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const close = () => gone.abort();
  if (socket.destroyed) close();
  socket.once('close', close);
  socket.setTimeout(0);
  try {
    return await run(gone.signal);
  } finally {
    // A kept connection serves many requests.
    socket.off('close', close);
    socket.setTimeout(server.timeout);
  }
}
