import type { FastifyRequest } from './http.js';

/**
 * Runs work with a signal that aborts when the client disconnects before the answer. The connection may be silent
 * throughout the work, which has its own deadlines.
 */
export async function untilClientGone<T>(
  { raw: { socket }, server: { server } }: FastifyRequest,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const close = () => gone.abort();
  // A request that this process makes itself has no connection.
  const closeAfter = (ms: number) => 'setTimeout' in socket && socket.setTimeout(ms);
  if (socket.destroyed) close();
  socket.once('close', close);
  closeAfter(0);
  try {
    return await run(gone.signal);
  } finally {
    // A kept connection serves many requests.
    socket.off('close', close);
    closeAfter(server.timeout);
  }
}
