import type { Schema } from '../../api/client.js';
import { runsIn } from './runs.js';
import { subjectsIn } from './subjects.js';

type Event = Schema['EventRecord'];

const event = (stream: string, type: string, data: Record<string, unknown> = {}, actor = 'key:1'): Event =>
  ({ id: `${stream} ${type}`, stream, type, actor, data }) as unknown as Event;

describe('the events of the log', () => {
  it('stand as one line where three or more of a type by one actor follow each other', () => {
    const types = ['a', 'a', 'a', 'b', 'b', 'a'];
    const runs = runsIn(types.map((type) => event('x-1', type)));
    expect(runs.map((run) => run.map(({ type }) => type).join(''))).toEqual(['aaa', 'b', 'b', 'a']);
    expect(runsIn([1, 2, 3].map((at) => event('x-1', 'a', {}, `key:${at}`)))).toHaveLength(3);
  });

  it('say what they are about by its name: their own, that of another event of the stream, that of its id', () => {
    const created = event('model-1', 'model-version-added.v1', { name: 'tickets', version: 2 });
    const retired = event('model-1', 'model-retired.v1');
    const epoch = event('job-7', 'training-epoch-completed.v1');
    const subjectOf = subjectsIn([created, retired, epoch], new Map([['7', 'first try']]));
    expect([created, retired, epoch].map(subjectOf)).toEqual(['tickets@2', 'tickets', 'first try']);
    expect(subjectOf(event('bill-1', 'bill-sent.v1'))).toBeUndefined();
  });

  it('say nothing by other events of a stream that is about many things', () => {
    const holds = [
      { kind: 'dataset', id: 'tickets' },
      { kind: 'calls', id: null },
    ].map((covers) => event('retention-1', 'hold-placed.v1', { covers }));
    expect(holds.map(subjectsIn(holds, new Map()))).toEqual(['tickets', 'calls']);
  });

  it('name a dataset with its version, a call by its model, and show no id as a name', () => {
    const id = '0199a7c2-0000-7000-8000-000000000000';
    const subjectOf = subjectsIn([], new Map([['key:k', 'laptop']]));
    expect(subjectOf(event('dataset-1', 'made', { name: 'tickets', versionNumber: 3 }))).toBe('tickets/3');
    expect(subjectOf(event('metered-1', 'call-metered.v1', { modelId: 'tickets', keyId: 'k' }))).toBe('tickets');
    expect(subjectOf(event('metered-1', 'call-metered.v1', { modelId: id, keyId: 'k' }))).toBe('laptop');
    expect(subjectOf(event('metered-1', 'call-metered.v1', { modelId: id }))).toBeUndefined();
  });
});
