import { expectLiveEqualsRebuilt, type EventInLog } from '#test/support/live-equals-rebuilt.js';
import { projects } from './projection.js';

const created = (projectId: string): EventInLog => ({
  type: 'project-created.v1',
  data: { projectId, workspaceId: 'w1', name: projectId, description: null, createdAt: '2030-01-01T00:00:00.000Z' },
});

describe('the read model of projects', () => {
  it('contains projects that were created and not deleted', async () => {
    const documents = await expectLiveEqualsRebuilt(projects, [
      created('p1'),
      created('p2'),
      { type: 'project-deleted.v1', data: { projectId: 'p1', deletedAt: '2030-01-02T00:00:00.000Z' } },
    ]);
    expect([...documents]).toEqual([
      ['p2', { id: 'p2', workspaceId: 'w1', name: 'p2', description: null, createdAt: '2030-01-01T00:00:00.000Z' }],
    ]);
  });
});
