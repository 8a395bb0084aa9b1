import type { FastifyRequest } from '../http.js';

/** Runs something with a signal that aborts when the client closes its connection before it has been answered. */
export async function untilClientGone<T>(
  { raw: { socket } }: FastifyRequest,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const close = () => gone.abort();
  if (socket.destroyed) close();
  socket.once('close', close);
  try {
    return await run(gone.signal);
  } finally {
    // A kept connection serves many requests.
    socket.off('close', close);
  }
}
