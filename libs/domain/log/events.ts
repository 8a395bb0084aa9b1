/** The first event of every log, in a stream of its own: its id is the log's id. */
export type LogCreated = {
  readonly type: 'log-created.v1';
  readonly data: {
    readonly logId: string;
    /** Fingerprint of the secret that keys the log's hashes: 16 hexadecimal digits. Logs of earlier releases lack it. */
    readonly secretFingerprint?: string;
  };
};

/** The stream `log-secret`: the secret that the installation continues with, if the log's first event does not say. */
export type LogEvent = {
  readonly type: 'log-secret-bound.v1';
  readonly data: {
    /** 16 hexadecimal digits. */
    readonly fingerprint: string;
    /** Fingerprint of the lost secret; null if none was known. */
    readonly replaced: string | null;
    readonly boundAt: string;
  };
};

export const LOG_SECRET_BOUND = 'log-secret-bound.v1' satisfies LogEvent['type'];
