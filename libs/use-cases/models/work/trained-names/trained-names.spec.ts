import type { RecordedEvent } from '#ports/event-store/port.js';
import { evolve } from '#log/projector/handlers.js';
import { UNNAMED, type Unnamed } from './process-manager.js';

const recorded = (type: string, data: object) => ({ type, data }) as unknown as RecordedEvent;
const requested = recorded('training-job-requested.v1', { jobId: 'j1', named: { name: 'tickets', promotes: true } });
const completed = recorded('training-job-completed.v1', { jobId: 'j1' });
const added = (name: string) => recorded('model-version-added.v1', { name, trainingJobId: 'j1' });
const after = (...events: RecordedEvent[]) => [
  ...events.reduce<Unnamed>((jobs, event) => evolve(UNNAMED, jobs, event), new Map()),
];
const job = (isComplete: boolean) => [['j1', { name: 'tickets', isComplete }]];

describe('jobs whose models get a name', () => {
  it('are those that were asked to be named, once they complete, until they are versions of it', () => {
    expect(after(requested)).toEqual(job(false));
    expect(after(requested, completed)).toEqual(job(true));
    expect(after(requested, completed, added('other'))).toEqual(job(true));
    expect(after(requested, completed, added('tickets'))).toEqual([]);
  });

  it('are none that ended otherwise, or were requested without a name', () => {
    for (const end of ['failed', 'cancelled', 'deleted'])
      expect(after(requested, recorded(`training-job-${end}.v1`, { jobId: 'j1' }))).toEqual([]);
    expect(after(recorded('training-job-requested.v1', { jobId: 'j1' }), completed)).toEqual([]);
  });
});
