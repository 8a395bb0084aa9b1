import type { Decider } from '../decider.js';
import { JOB_LOG_EVENT_TYPES, type JobLogEvent, type LogLine } from './events.js';

export const MAX_LINES_PER_ATTEMPT = 10_000;
/** Keeps the stream under 1,000 events (libs/domain/streams.ts). */
const MAX_BLOCKS = 950;
/** Largest block of lines, as JSON. */
export const MAX_BLOCK_BYTES = 64 * 1024;

interface JobLogCommand {
  readonly type: 'append-job-log';
  readonly jobId: string;
  readonly attempt: number;
  /** Number of this block within the attempt, from 1: a block sent twice is kept once. */
  readonly block: number;
  readonly lines: readonly LogLine[];
}

interface JobLogState {
  readonly blocks: number;
  readonly lines: number;
  readonly attempt: number;
  readonly attemptLines: number;
  readonly attemptBlocks: number;
}

/** A training job's log lines, in blocks. Lines beyond the limit of an attempt, and lines of an ended attempt, are dropped. */
export const jobLogDecider: Decider<JobLogCommand, JobLogEvent, JobLogState> = {
  category: 'joblog',
  eventTypes: JOB_LOG_EVENT_TYPES,
  initial: { blocks: 0, lines: 0, attempt: 0, attemptLines: 0, attemptBlocks: 0 },

  decide({ jobId, attempt, block, lines }, state) {
    if (attempt < state.attempt || lines.length === 0) return [];
    const same = attempt === state.attempt;
    if (same && block <= state.attemptBlocks) return [];
    const room = MAX_LINES_PER_ATTEMPT - (same ? state.attemptLines : 0);
    if (room <= 0 || state.blocks >= MAX_BLOCKS) return [];
    return [
      { type: 'job-log-appended.v1', data: { jobId, attempt, first: state.lines + 1, lines: lines.slice(0, room) } },
    ];
  },

  evolve(state, { data }) {
    const same = data.attempt === state.attempt;
    return {
      blocks: state.blocks + 1,
      lines: data.first + data.lines.length - 1,
      attempt: data.attempt,
      attemptLines: (same ? state.attemptLines : 0) + data.lines.length,
      attemptBlocks: (same ? state.attemptBlocks : 0) + 1,
    };
  },
};
