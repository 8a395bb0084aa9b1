import { given } from '#test/support/given.js';
import { teamDecider } from './index.js';

const created = { type: 'team-created.v1', data: { teamId: 't1', name: 'Anneal', createdAt: given.now } } as const;
const add = { type: 'add-team-member', teamId: 't1', userId: 'u1', workspaceId: 'w1' } as const;
const added = {
  type: 'team-member-added.v1',
  data: { teamId: 't1', userId: 'u1', workspaceId: 'w1', addedAt: given.now },
} as const;

describe('team', () => {
  test('is created once', () => {
    given(teamDecider, []).when({ type: 'create-team', teamId: 't1', name: 'Anneal' }).then([created]);
    given(teamDecider, [created]).when({ type: 'create-team', teamId: 't1', name: 'Other' }).then([]);
  });

  test('a member is added once and keeps the workspace', () => {
    given(teamDecider, [created]).when(add).then([added]);
    given(teamDecider, [created, added])
      .when({ ...add, workspaceId: 'w2' })
      .then([]);
  });

  test('nobody joins a team that does not exist', () => {
    given(teamDecider, []).when(add).thenRefused('not_found');
  });
});
