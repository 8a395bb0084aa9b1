import { expectLiveEqualsRebuilt, type EventInLog } from '#test/support/live-equals-rebuilt.js';
import { cascadeDays, type CascadeDayDocument } from './projection.js';

const call = (cascade: object | null, more: object = {}): EventInLog =>
  ({
    type: 'call-metered.v1',
    data: {
      ...{ workspaceId: 'w1', modelName: 'tickets', at: '2030-01-07T10:00:00.000Z', status: 'success' },
      ...{ latencyMs: 5, costPicodollars: '9007199254740993', ...(cascade && { cascade }), ...more },
    },
  }) as unknown as EventInLog;

it('calls of distilled names are counted by day and by who answered, to the picodollar', async () => {
  const documents = await expectLiveEqualsRebuilt(cascadeDays, [
    call(null),
    call({ by: 'student', reason: 'sure', certainty: 0.99 }),
    call({ by: 'student', reason: 'teacher_failed' }),
    call({ by: 'teacher', reason: 'unsure' }, { latencyMs: 800 }),
    call({ by: 'teacher', reason: 'audit', agrees: false }),
    call({ by: 'teacher', reason: 'watching', agrees: false }, { at: '2030-01-08T00:00:00.000Z' }),
    call({ by: 'teacher', reason: 'unsure' }, { status: 'failed' }),
  ]);
  const [first, second] = [...documents.values()] as CascadeDayDocument[];
  expect(first).toMatchObject({
    ...{ id: 'w1/tickets/2030-01-07', name: 'tickets', day: '2030-01-07', disagreements: 1 },
    student: { calls: 2, cost: '18014398509481986', latencyMs: 10 },
    teacher: { calls: 1, latencyMs: 800 },
    audits: { calls: 1 },
    failed: { calls: 1 },
  });
  expect(second).toMatchObject({ day: '2030-01-08', teacher: { calls: 1 }, disagreements: 0 });
});
