import { given } from '#test/support/given.js';
import { incidentDecider, type IncidentEvent, type IncidentFacts } from './index.js';

const of = { incidentId: 'i1', workspaceId: 'w1' };
const facts: IncidentFacts = { title: 'Wrong routing', severity: 'high', model: 'tickets', version: 2, calls: ['c1'] };
const description = 'Refunds went to sales.';
const opened: IncidentEvent = {
  type: 'incident-opened.v1',
  data: { ...of, ...facts, description, openedAt: given.now },
};
const closed: IncidentEvent = {
  type: 'incident-closed.v1',
  data: { ...of, resolution: 'rolled back', closedAt: given.now },
};
const update = (changes: Partial<IncidentFacts>, note: string | null = null) =>
  ({ type: 'update-incident', ...of, changes, note }) as const;

describe('an incident', () => {
  it('is opened, updated by what changed, and closed', () => {
    given(incidentDecider, [])
      .when({ type: 'open-incident', ...of, ...facts, description })
      .then([opened]);
    given(incidentDecider, [opened])
      .when(update({ severity: 'serious', model: 'tickets' }, 'two customers'))
      .then([
        {
          type: 'incident-updated.v1',
          data: { ...of, changes: { severity: 'serious' }, note: 'two customers', updatedAt: given.now },
        },
      ]);
    given(incidentDecider, [opened])
      .when({ type: 'close-incident', ...of, resolution: 'rolled back' })
      .then([closed]);
  });

  it('stays as it is once it is closed', () => {
    given(incidentDecider, [opened, closed])
      .when(update({ severity: 'low' }))
      .thenRefused('conflict');
    given(incidentDecider, [opened, closed])
      .when({ type: 'close-incident', ...of, resolution: 'other' })
      .thenRefused('conflict');
  });

  it('is refused if it is unknown, and with a version of no model', () => {
    given(incidentDecider, [])
      .when(update({ severity: 'low' }))
      .thenRefused('not_found');
    given(incidentDecider, [])
      .when({ type: 'open-incident', ...of, ...facts, model: null, description })
      .thenRefused('invalid');
  });
});
