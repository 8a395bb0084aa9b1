import { goldenEvents } from '#test/golden/events.js';
import { requestedJob, type TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { lineOf } from '#use-cases/fine-tuning/event-ids.js';
import { eventRecord, fineTuningRecord } from './record.js';

const requested = goldenEvents.find(({ type, data }) => type === 'training-job-requested.v1' && 'fineTuning' in data)!;
const job = requestedJob(requested.data as unknown as Parameters<typeof requestedJob>[0]);
const at = '2030-01-02T03:04:05.000Z';
const shown = (more: Partial<TrainingJobDocument>) => fineTuningRecord({ ...job, ...more }, 'team');

describe('a fine-tuning job', () => {
  it('gives the reason for a failure', () => {
    const error = { code: 'training_failed', message: 'The rows are too long', param: null };
    const failed = shown({ status: 'failed', errorMessage: error.message, completedAt: at });
    expect(failed).toMatchObject({
      status: 'failed',
      error,
      finished_at: Date.parse(at) / 1000,
      fine_tuned_model: null,
    });
  });

  it('has the fields that only a client of the OpenAI API sets', () => {
    const hyperparameters = { learning_rate_multiplier: 0.5 };
    expect(shown({})).toMatchObject({
      user_provided_suffix: 'tickets',
      metadata: { team: 'support' },
      hyperparameters,
    });
  });

  it('lacks those fields if it was started through another route', () => {
    const { fineTuning: _, ...native } = job;
    const hyperparameters = { learning_rate_multiplier: 'auto' };
    expect(fineTuningRecord(native, 'team')).toMatchObject({
      user_provided_suffix: null,
      metadata: null,
      hyperparameters,
    });
  });

  it('recognises its own event ids, and no others', () => {
    const { id } = eventRecord(job.id, { id: '12', timestamp: at, level: 'info', message: 'm', source: 's' });
    expect(lineOf(job.id, id)).toBe(12);
    expect([lineOf('another', id), lineOf(job.id, 'x-12'), lineOf(job.id, `ftevent-${job.id}-0`)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
