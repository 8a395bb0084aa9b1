/** One stream, `log-secret`: which secret the installation goes on with, where the log's first event does not say. */
export type LogEvent = {
  readonly type: 'log-secret-bound.v1';
  readonly data: {
    /** 16 hexadecimal digits. */
    readonly fingerprint: string;
    /** Of the secret that was lost and is used no more; null where none was known. */
    readonly replaced: string | null;
    readonly boundAt: string;
  };
};

export const LOG_SECRET_BOUND = 'log-secret-bound.v1' satisfies LogEvent['type'];
