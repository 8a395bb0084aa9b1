import { requestedJob, type TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { artifact, at, metrics, trainingRequest } from '#test/support/training-events.js';
import { learningCurveRecord, trainingJobRecord } from './record.js';

describe('a training job shown while its read model is rebuilt after an upgrade', () => {
  // As version 1 of the projection wrote it.
  const { learningCurve: _, ...requested } = requestedJob({ ...trainingRequest('j1'), requestedAt: at(0) });
  const { judgedRows: _judged, overlappingRows: _overlapping, ...figures } = metrics;
  const job = { ...requested, status: 'complete', metrics: figures, artifact } as unknown as TrainingJobDocument;

  it('has no finished epoch yet', () => {
    expect(learningCurveRecord(job)).toEqual([]);
  });

  it('does not claim that figures of an earlier release were measured on held-out rows', () => {
    expect(trainingJobRecord(job).metrics).toMatchObject({
      judged_on: null,
      judged_rows: null,
      overlapping_rows: null,
      figures_note: expect.stringContaining('an earlier release') as string,
    });
  });
});
