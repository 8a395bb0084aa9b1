import { given } from '#test/support/given.js';
import { projectDecider } from './index.js';

const create = {
  type: 'create-project',
  projectId: 'p1',
  workspaceId: 'w1',
  name: 'support',
  description: null,
} as const;
const created = {
  type: 'project-created.v1',
  data: { projectId: 'p1', workspaceId: 'w1', name: 'support', description: null, createdAt: given.now },
} as const;
const remove = { type: 'delete-project', projectId: 'p1', workspaceId: 'w1' } as const;

describe('project', () => {
  it('is created once', () => {
    given(projectDecider, []).when(create).then([created]);
    given(projectDecider, [created]).when(create).then([]);
  });

  it('is deleted by its own workspace only', () => {
    given(projectDecider, [created])
      .when(remove)
      .then([{ type: 'project-deleted.v1', data: { projectId: 'p1', deletedAt: given.now } }]);
    given(projectDecider, [created])
      .when({ ...remove, workspaceId: 'w2' })
      .thenRefused('not_found');
  });
});
