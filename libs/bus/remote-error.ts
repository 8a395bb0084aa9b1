import { RemoteError } from './port.js';

/** What a caller is told of an error that a handler threw. */
export function asRemote(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return new RemoteError(
    typeof code === 'string' ? code : 'internal',
    typeof message === 'string' ? message : String(error),
  );
}
