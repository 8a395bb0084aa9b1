/** The first event of every log, in a stream of its own: its id is the log's id. */
export type LogCreated = {
  readonly type: 'log-created.v1';
  readonly data: {
    readonly logId: string;
    /** Fingerprint of the secret that keys the log's hashes: 16 hexadecimal digits. Absent from older logs. */
    readonly secretFingerprint?: string;
    /**
     * Whether call contents are stored encrypted if no setting decides. Absent from older logs, which are
     * plain.
     */
    readonly contents?: 'plain' | 'encrypted';
    /** Whether the end of the log was sealed from the beginning. Absent from older logs, and on EventStoreDB. */
    readonly hasSeal?: boolean;
  };
};

/** The stream `log-secret`: the secret that the installation continues with, if the log's first event does not say. */
export type LogSecretBound = {
  readonly type: 'log-secret-bound.v1';
  readonly data: {
    /** 16 hexadecimal digits. */
    readonly fingerprint: string;
    /** Fingerprint of the lost secret; null if none was known. */
    readonly replaced: string | null;
    readonly boundAt: string;
  };
};

/** The stream `log-keys`: the key store needed to read the encrypted contents of the log. */
export type LogKeysBound = {
  readonly type: 'log-keys-bound.v1';
  readonly data: {
    /** The id of the key store. It reveals nothing about its keys. */
    readonly keyStore: string;
    /** The id of the lost key store; null if the log named none before. */
    readonly replaced: string | null;
    readonly boundAt: string;
  };
};

/** The stream `log-coordination`: the coordination that the log is used with. */
export type LogCoordinationBound = {
  readonly type: 'log-coordination-bound.v1';
  readonly data: {
    readonly coordination: string;
    /** The id of the lost one; null if the log named none before. */
    readonly replaced: string | null;
    readonly boundAt: string;
  };
};

/** The stream `log-seal`: what stood at the end of the log without a seal counts as written by the installation. */
export type LogEndAccepted = {
  readonly type: 'log-end-accepted.v1';
  readonly data: {
    /** Number of events that were appended without the seal; null if that is not known. */
    readonly events: number | null;
    /** Position of the first of them; null if that is not known. */
    readonly from: string | null;
    /** In older events the user who confirmed it, whom the metadata has now. */
    readonly by?: string | null;
    /** At most 500 characters. */
    readonly reason: string;
    readonly boundAt: string;
  };
};

export type LogEvent = LogSecretBound | LogKeysBound | LogCoordinationBound | LogEndAccepted;

export const LOG_SECRET_BOUND = 'log-secret-bound.v1' satisfies LogEvent['type'];
export const LOG_KEYS_BOUND = 'log-keys-bound.v1' satisfies LogEvent['type'];
export const LOG_END_ACCEPTED = 'log-end-accepted.v1' satisfies LogEvent['type'];
export const LOG_COORDINATION_BOUND = 'log-coordination-bound.v1' satisfies LogEvent['type'];
