import { requestedJob, type TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { artifact, at, metrics, trainingRequest } from '#test/support/training-events.js';
import { trainingJobRecord } from './record.js';

describe('a training job whose event does not name the judged rows', () => {
  const figures = { ...metrics, judgedRows: null, overlappingRows: null };
  const requested = requestedJob({ ...trainingRequest('j1'), requestedAt: at(0) });
  const job: TrainingJobDocument = { ...requested, status: 'complete', metrics: figures, artifact };

  it('does not claim that its figures were measured on held-out rows', () => {
    expect(trainingJobRecord(job).metrics).toMatchObject({
      judged_on: null,
      judged_rows: null,
      overlapping_rows: null,
      figures_note: expect.stringContaining('an earlier release') as string,
    });
  });
});
