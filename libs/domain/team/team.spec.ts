import { fold } from '#domain/decider.js';
import type { Role } from '#domain/permissions.js';
import { given } from '#test/support/given.js';
import {
  isInvitedBy,
  isMember,
  limitOf,
  permissionsIn,
  teamDecider,
  WORKSPACE_LIMITS,
  whyNotSecond,
  type TeamEvent,
} from './index.js';

const created = { type: 'team-created.v1', data: { teamId: 't1', name: 'Anneal', createdAt: given.now } } as const;
const add = { type: 'add-team-member', teamId: 't1', userId: 'u1', workspaceId: 'w1' } as const;
const added = {
  type: 'team-member-added.v1',
  data: { teamId: 't1', userId: 'u1', workspaceId: 'w1', addedAt: given.now },
} as const;

describe('team', () => {
  it('is created once', () => {
    given(teamDecider, []).when({ type: 'create-team', teamId: 't1', name: 'Anneal' }).then([created]);
    given(teamDecider, [created]).when({ type: 'create-team', teamId: 't1', name: 'Other' }).then([]);
  });

  it('adds a member once, who keeps the workspace', () => {
    given(teamDecider, [created]).when(add).then([added]);
    given(teamDecider, [created, added])
      .when({ ...add, workspaceId: 'w2' })
      .then([]);
  });

  it('refuses members while it does not exist', () => {
    given(teamDecider, []).when(add).thenRefused('not_found');
  });

  it('loses a removed member, who may return to the same workspace', () => {
    const remove = { type: 'remove-team-member', teamId: 't1', userId: 'u1' } as const;
    const removed = {
      type: 'team-member-removed.v1',
      data: { teamId: 't1', userId: 'u1', removedAt: given.now },
    } as const;
    given(teamDecider, [created, added]).when(remove).then([removed]);
    given(teamDecider, [created, added, removed]).when(add).then([added]);
  });

  it('records a repeated setting once', () => {
    const set = (type: string, value: object) => ({ type, data: { teamId: 't1', ...value, setAt: given.now } });
    const cases = [
      [{ type: 'set-team-plan', plan: 'pro' }, set('team-plan-set.v1', { plan: 'pro' })],
      [{ type: 'set-team-region', region: 'DE' }, set('team-region-set.v1', { region: 'DE' })],
      [
        { type: 'set-team-rollout', rollout: 'preview', enabled: true },
        set('team-rollout-set.v1', { rollout: 'preview', enabled: true }),
      ],
      [
        { type: 'set-team-limit', limit: 'open_uploads', value: 500 },
        set('team-limit-set.v1', { limit: 'open_uploads', value: 500 }),
      ],
      [{ type: 'set-team-card', verified: true }, set('team-card-set.v1', { verified: true })],
    ] as const;
    for (const [command, event] of cases)
      given(teamDecider, [created])
        .when({ ...command, teamId: 't1' })
        .then([event as TeamEvent]);
  });

  it.each(['de', 'DEU', 'D1', ''])('refuses the region %j', (region) => {
    given(teamDecider, [created]).when({ type: 'set-team-region', teamId: 't1', region }).thenRefused('invalid');
  });

  it.each(['', 'a b', 'x'.repeat(65)])('refuses the rollout %j', (rollout) => {
    given(teamDecider, [created])
      .when({ type: 'set-team-rollout', teamId: 't1', rollout, enabled: true })
      .thenRefused('invalid');
  });

  describe('limits of its workspaces', () => {
    const set = (limit: string, value: number | null) =>
      ({ type: 'team-limit-set.v1', data: { teamId: 't1', limit, value, setAt: given.now } }) as const;
    const setLimit = (limit: string, value: number | null) =>
      ({ type: 'set-team-limit', teamId: 't1', limit, value }) as const;
    const limitAfter = (...events: TeamEvent[]): number => {
      const team = fold(teamDecider, [created, ...events]);
      if (team.status === 'none') throw new Error('the team is missing');
      return limitOf(team, 'open_uploads');
    };

    it('have their defaults until an operator sets others', () => {
      expect(limitAfter()).toBe(WORKSPACE_LIMITS.open_uploads.default);
      expect(limitAfter(set('open_uploads', 7))).toBe(7);
    });

    it('return to their defaults', () => {
      given(teamDecider, [created, set('open_uploads', 7)])
        .when(setLimit('open_uploads', null))
        .then([set('open_uploads', null)]);
      expect(limitAfter(set('open_uploads', 7), set('open_uploads', null))).toBe(WORKSPACE_LIMITS.open_uploads.default);
    });

    it('survive an event about a limit that a later release removed', () => {
      expect(limitAfter(set('no_longer_there', 7))).toBe(WORKSPACE_LIMITS.open_uploads.default);
    });

    it.each([
      ['nonsense', 7],
      ['toString', 7],
      ['open_uploads', -1],
      ['open_uploads', 1.5],
    ])('refuse %s = %s', (limit, value) => {
      given(teamDecider, [created]).when(setLimit(limit, value)).thenRefused('invalid');
    });
  });

  it('is blocked for a reason, until it is unblocked', () => {
    const block = { type: 'block-team', teamId: 't1', reason: 'billing' } as const;
    const blocked = {
      type: 'team-blocked.v1',
      data: { teamId: 't1', reason: 'billing', blockedAt: given.now },
    } as const;
    given(teamDecider, [created]).when(block).then([blocked]);
    given(teamDecider, [created, blocked])
      .when({ type: 'unblock-team', teamId: 't1' })
      .then([{ type: 'team-unblocked.v1', data: { teamId: 't1', unblockedAt: given.now } }]);
    given(teamDecider, [created]).when({ type: 'unblock-team', teamId: 't1' }).then([]);
  });

  describe('opting out of data use', () => {
    const plan = (name: 'free' | 'pro') =>
      ({ type: 'team-plan-set.v1', data: { teamId: 't1', plan: name, setAt: given.now } }) as const;
    const dataUse = (optedOut: boolean) =>
      ({ type: 'team-data-use-set.v1', data: { teamId: 't1', optedOut, setAt: given.now } }) as const;
    const optOut = { type: 'set-team-data-use', teamId: 't1', optedOut: true } as const;

    it('needs a higher plan', () => {
      given(teamDecider, [created]).when(optOut).thenRefused('forbidden');
      given(teamDecider, [created, plan('pro')])
        .when(optOut)
        .then([dataUse(true)]);
    });

    it('ends with that plan, and the log records it', () => {
      given(teamDecider, [created, plan('pro'), dataUse(true)])
        .when({ type: 'set-team-plan', teamId: 't1', plan: 'free' })
        .then([plan('free'), dataUse(false)]);
    });

    it('can be revoked on every plan', () => {
      given(teamDecider, [created, plan('pro'), dataUse(true)])
        .when({ ...optOut, optedOut: false })
        .then([dataUse(false)]);
    });
  });

  describe('roles', () => {
    const place = { teamId: 't1', workspaceId: 'w1', userId: 'u2' } as const;
    const set = (role: Role, userId = 'u2') => ({ type: 'set-role', ...place, userId, role }) as const;
    const roleSet = (role: Role, userId = 'u2') =>
      ({ type: 'team-role-set.v1', data: { ...place, userId, role, setAt: given.now } }) as const;
    const past = [created, added];
    const remove = { type: 'remove-role', ...place } as const;
    const removed = { type: 'team-role-removed.v1', data: { ...place, removedAt: given.now } } as const;

    it('are granted, changed and revoked in a workspace of the team', () => {
      given(teamDecider, past)
        .when(set('analyst'))
        .then([roleSet('analyst')]);
      given(teamDecider, [...past, roleSet('analyst')])
        .when(set('runner'))
        .then([roleSet('runner')]);
      given(teamDecider, [...past, roleSet('analyst')])
        .when(remove)
        .then([removed]);
      given(teamDecider, past)
        .when({ ...set('analyst'), workspaceId: 'w9' })
        .thenRefused('not_found');
    });

    it('keep all members the owners of their own workspaces, and every workspace an owner', () => {
      given(teamDecider, past).when(set('analyst', 'u1')).thenRefused('conflict');
      const left = {
        type: 'team-member-removed.v1',
        data: { teamId: 't1', userId: 'u1', removedAt: given.now },
      } as const;
      const orphaned = [...past, roleSet('owner'), left];
      given(teamDecider, orphaned).when(remove).thenRefused('conflict');
      given(teamDecider, [...orphaned, roleSet('owner', 'u3')])
        .when(remove)
        .then([removed]);
    });

    it('end when their member is removed from the team', () => {
      const left = {
        type: 'team-member-removed.v1',
        data: { teamId: 't1', userId: 'u2', removedAt: given.now },
      } as const;
      const before = [...past, roleSet('developer')];
      given(teamDecider, before).when({ type: 'remove-team-member', teamId: 't1', userId: 'u2' }).then([left]);
      const state = fold(teamDecider, [...before, left]);
      expect(state.status === 'active' && isMember(state, 'u2')).toBe(false);
    });

    it('of analysts show no content if the workspace hides it', () => {
      const hide = { type: 'set-analysts-content', teamId: 't1', workspaceId: 'w1', shown: false } as const;
      const hidden = {
        type: 'team-analysts-content-set.v1',
        data: { teamId: 't1', workspaceId: 'w1', shown: false, setAt: given.now },
      } as const;
      given(teamDecider, past).when(hide).then([hidden]);
      const state = fold(teamDecider, [...past, roleSet('analyst'), roleSet('auditor', 'u3'), hidden]);
      if (state.status === 'none') throw new Error('no team');
      expect(permissionsIn(state, 'w1', 'u2').has('content')).toBe(false);
      expect(permissionsIn(state, 'w1', 'u3').has('content')).toBe(true);
    });
  });

  describe('that wants two people', () => {
    const role = (userId: string, givenBy?: string, setAt = given.now): TeamEvent => ({
      type: 'team-role-set.v1',
      data: { teamId: 't1', workspaceId: 'w1', userId, role: 'owner', ...(givenBy && { givenBy }), setAt },
    });
    const removed = (userId: string): TeamEvent => ({
      type: 'team-role-removed.v1',
      data: { teamId: 't1', workspaceId: 'w1', userId, removedAt: given.now },
    });
    const wanted: TeamEvent = {
      type: 'team-two-people-set.v1',
      data: { teamId: 't1', workspaceId: 'w1', acts: ['promote'], setAt: given.now },
    };
    const standing = (events: readonly TeamEvent[], userId: string, proposedAt = given.now) => {
      const team = fold(teamDecider, [created, added, ...events]);
      if (team.status === 'none') throw new Error('there is no team');
      const why = whyNotSecond(team, 'w1', { userId, proposerId: 'u1', proposedAt });
      return [why?.slice(0, 12) ?? null, isInvitedBy(team, 'w1', userId, 'u1')];
    };

    it('takes whom it had before for another person, and no account that the proposer invited since, at any remove', () => {
      const before = [role('bob', 'u1'), wanted];
      expect(standing(before, 'bob')).toEqual([null, true]);
      const second = [...before, role('ada2', 'u1'), role('ada3', 'ada2')];
      expect(standing(second, 'ada2')).toEqual(['the proposer', true]);
      expect(standing(second, 'ada3')).toEqual(['the proposer', false]);
      expect(standing([...second, removed('ada2'), role('ada2', 'bob')], 'ada3')).toEqual(['the proposer', false]);
      expect(standing([...second, role('ada2', 'bob')], 'ada2')).toEqual(['the proposer', true]);
    });

    it('takes whom another owner or the operator invited, even after a removal', () => {
      const invited = [role('bob', 'u1'), wanted, role('eve', 'bob'), role('dan')];
      expect(standing(invited, 'eve')).toEqual([null, false]);
      expect(standing(invited, 'dan')).toEqual([null, false]);
      const again = [...invited, role('ada2', 'u1'), removed('ada2'), role('ada2', 'bob')];
      expect(standing(again, 'ada2')).toEqual([null, false]);
    });

    it('does not take who joined after the proposal', () => {
      const late = role('eve', 'bob', '2031-01-01T00:00:00.000Z');
      expect(standing([role('bob', 'u1'), wanted, late], 'eve')).toEqual(['you joined t', false]);
      expect(standing([role('bob', 'u1'), wanted, late], 'eve', '2031-01-01T00:00:00.000Z')).toEqual([null, false]);
    });
  });
});
