import { given } from '#test/support/given.js';
import { jobLogDecider, MAX_LINES_PER_ATTEMPT, type JobLogEvent, type LogLine } from './index.js';

const line: LogLine = { timestamp: given.now, level: 'info', message: 'x', source: 'training' };
const append = (attempt: number, block: number, lines: readonly LogLine[] = [line]) =>
  ({ type: 'append-job-log', jobId: 'j1', attempt, block, lines }) as const;
const appended = (attempt: number, first: number, lines: readonly LogLine[] = [line]): JobLogEvent => ({
  type: 'job-log-appended.v1',
  data: { jobId: 'j1', attempt, first, lines },
});

describe("a job's log", () => {
  it('numbers its lines through all attempts and keeps a block once', () => {
    given(jobLogDecider, [])
      .when(append(1, 1, [line, line]))
      .then([appended(1, 1, [line, line])]);
    given(jobLogDecider, [appended(1, 1, [line, line])])
      .when(append(2, 1))
      .then([appended(2, 3)]);
    given(jobLogDecider, [appended(1, 1)])
      .when(append(1, 1))
      .then([]);
  });

  it('ignores lines of an attempt that another has replaced', () => {
    given(jobLogDecider, [appended(2, 1)])
      .when(append(1, 9))
      .then([]);
  });

  it('keeps at most 10,000 lines of an attempt', () => {
    const many = Array.from({ length: MAX_LINES_PER_ATTEMPT - 1 }, () => line);
    given(jobLogDecider, [appended(1, 1, many)])
      .when(append(1, 2, [line, line]))
      .then([appended(1, MAX_LINES_PER_ATTEMPT)]);
    given(jobLogDecider, [appended(1, 1, [...many, line])])
      .when(append(1, 2))
      .then([]);
  });
});
