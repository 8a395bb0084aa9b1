import type { BatchEnd, BatchOutcome, BatchRequest } from '#domain/batch/index.js';
import { requestedBatch } from '#projections/batches/projection.js';
import { goldenEvents } from '#test/golden/events.js';
import { batchRecord } from './record.js';

const { data } = goldenEvents.find(({ type }) => type === 'batch-requested.v1')!;
const batch = requestedBatch(data as unknown as BatchRequest & { readonly requestedAt: string });
const endedAt = '2030-01-02T04:00:00.000Z';
const end = (outcome: BatchOutcome, error: BatchEnd['error'] = null) => ({
  ...{ outcome, error, completed: 1, failed: 1, outputVersionId: null, errorVersionId: null, endedAt },
});

describe('the record of a batch', () => {
  it.each(['completed', 'failed', 'expired', 'cancelled'] as const)('has the time of its outcome: %s', (outcome) => {
    const record = batchRecord({ ...batch, isOpen: false, end: end(outcome) }, null);
    const times = { completed_at: null, failed_at: null, expired_at: null, cancelled_at: null };
    expect(record).toMatchObject({ status: outcome, ...times, [`${outcome}_at`]: Date.parse(endedAt) / 1000 });
    expect(record.expires_at).toBe(Date.parse(batch.expiresAt) / 1000);
  });

  it('shows when cancelling began, and the progress so far', () => {
    const at = '2030-01-02T03:30:00.000Z';
    const record = batchRecord({ ...batch, cancelRequestedAt: at }, { completed: 3, failed: 2 });
    expect(record).toMatchObject({ status: 'cancelling', cancelling_at: Date.parse(at) / 1000, cancelled_at: null });
    expect(record.request_counts).toEqual({ total: batch.requests, completed: 3, failed: 2 });
  });

  it('gives the reason for a failure', () => {
    const error = { code: 'out_of_credits', message: 'The credits are used up' };
    const record = batchRecord({ ...batch, end: end('failed', error) }, null);
    expect(record.errors).toEqual({ object: 'list', data: [{ ...error, line: null, param: null }] });
  });
});
