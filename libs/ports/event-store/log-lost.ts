export const LOG_LOST = 'log_lost';

/** The log that was here is missing or has been replaced by another. Nothing was created or changed. */
export class LogLostError extends Error {
  override readonly name = 'LogLostError';
  readonly code = LOG_LOST;
}
