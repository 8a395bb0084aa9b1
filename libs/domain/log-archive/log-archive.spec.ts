import { given } from '#test/support/given.js';
import { logArchiveDecider } from './index.js';

const part = (after: string | null, to: string) => ({
  ...{ after, to, events: 2, segments: 1, before: '2030-01-01T00:00:00.000Z', checkpoint: 'note' },
});
const archived = (after: string | null, to: string) =>
  ({ type: 'log-archived.v1', data: { ...part(after, to), archivedAt: given.now } }) as const;
const record = (after: string | null, to: string) => ({ type: 'record-archived', ...part(after, to) }) as const;

describe('the archive of the log', () => {
  it('goes on where it ended', () => {
    given(logArchiveDecider, [])
      .when(record(null, '0002'))
      .then([archived(null, '0002')]);
    given(logArchiveDecider, [archived(null, '0002')])
      .when(record('0002', '0004'))
      .then([archived('0002', '0004')]);
  });

  it('does not record a part that another command has recorded meanwhile', () => {
    given(logArchiveDecider, [archived(null, '0004')])
      .when(record(null, '0002'))
      .then([]);
  });
});
