import { RemoteError } from './port.js';

/** The error that a caller gets when a handler throws. */
export function asRemote(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return new RemoteError(
    typeof code === 'string' ? code : 'internal',
    typeof message === 'string' ? message : String(error),
  );
}
