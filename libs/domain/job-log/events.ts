import type { EventTypes } from '../decider.js';

export const JOB_LOG_LEVELS = ['info', 'warn', 'error'] as const;
export type JobLogLevel = (typeof JOB_LOG_LEVELS)[number];

export type LogLine = {
  /** ISO 8601 UTC with milliseconds, by the clock of who wrote it. */
  readonly timestamp: string;
  readonly level: JobLogLevel;
  readonly message: string;
  /** `training` for the engine, `runner` for the process around it. */
  readonly source: string;
};

export type JobLogEvent = {
  readonly type: 'job-log-appended.v1';
  readonly data: {
    readonly jobId: string;
    readonly attempt: number;
    /** Number of the first line within the whole log, from 1. */
    readonly first: number;
    readonly lines: readonly LogLine[];
  };
};

export const JOB_LOG_EVENT_TYPES: EventTypes<JobLogEvent> = {
  'job-log-appended.v1': true,
};
