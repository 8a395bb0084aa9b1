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
  it('are those that completed, until their evaluation is requested', () => {
    expect(after(completed)).toEqual(['j1']);
    expect(after(completed, requested(true))).toEqual([]);
  });

  it('are independent of evaluations that people started', () => {
    expect(after(completed, requested(false))).toEqual(['j1']);
  });

  it('exclude deleted jobs', () => {
    expect(after(completed, recorded('training-job-deleted.v1', { jobId: 'j1' }))).toEqual([]);
  });
});
