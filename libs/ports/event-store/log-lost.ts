export const LOG_LOST = 'log_lost';

/** There was a log, and what is there now is none, or another one. Nothing was made or changed. */
export class LogLostError extends Error {
  override readonly name = 'LogLostError';
  readonly code = LOG_LOST;
}
