import type { RecordedEvent } from '#ports/event-store/port.js';
import { evolve } from '#log/projector/handlers.js';
import { UNEVALUATED, type Unevaluated } from './process-manager.js';

const recorded = (type: string, data: object) => ({ type, data }) as unknown as RecordedEvent;
const completed = recorded('training-job-completed.v1', { jobId: 'j1' });
const requested = (automatic: boolean) =>
  recorded('evaluation-requested.v1', { evaluationId: 'e1', trainingJobId: 'j1', automatic });
const after = (...events: RecordedEvent[]) => [
  ...events.reduce<Unevaluated>((jobs, event) => evolve(UNEVALUATED, jobs, event), new Set()),
];

describe('jobs to be evaluated by the system', () => {
  it('are those that completed, until their evaluation has been asked for', () => {
    expect(after(completed)).toEqual(['j1']);
    expect(after(completed, requested(true))).toEqual([]);
  });

  it('are so whatever people have evaluated', () => {
    expect(after(completed, requested(false))).toEqual(['j1']);
  });

  it('are not those that were deleted', () => {
    expect(after(completed, recorded('training-job-deleted.v1', { jobId: 'j1' }))).toEqual([]);
  });
});
