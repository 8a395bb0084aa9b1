import { given } from '#test/support/given.js';
import { proposalDecider, type Proposal, type ProposalEvent } from './index.js';

const proposer = { kind: 'key', userId: 'ada', teamId: 't1', keyId: 'k1' } as const;
const proposal: Omit<Proposal, 'expiresAt'> = {
  ...{ proposalId: 'p1', workspaceId: 'w1', act: 'promote', command: 'change-model', input: { name: 'tickets' } },
  ...{ about: 'put tickets@3 in use', actor: 'key:k1', proposer, reason: 'better', ticket: null },
};
const open = (expiresAt = '2100-01-08T00:00:00.000Z'): ProposalEvent => ({
  type: 'act-proposed.v1',
  data: { ...proposal, expiresAt, proposedAt: '2030-01-01T00:00:00.000Z' },
});
const by = (userId: string) => ({ proposalId: 'p1', workspaceId: 'w1', userId, actor: `user:${userId}` });
const confirmed = (userId: string): ProposalEvent => ({
  type: 'proposal-confirmed.v1',
  data: { ...by(userId), at: given.now, invitedByProposer: false, sameAddress: null },
});
const confirm = (userId: string) => ({ type: 'confirm', ...by(userId), whyNot: null }) as const;

describe('a proposal', () => {
  it('can be confirmed for seven days', () => {
    const expiresAt = new Date(Date.parse(given.now) + 7 * 24 * 3_600_000).toISOString();
    given(proposalDecider, [])
      .when({ type: 'propose', ...proposal })
      .then([{ type: 'act-proposed.v1', data: { ...proposal, expiresAt, proposedAt: given.now } }]);
    given(proposalDecider, [open(given.now)])
      .when(confirm('bob'))
      .thenRefused('conflict');
  });

  it('is confirmed by another person than the proposer, whichever key they use, and once', () => {
    given(proposalDecider, [open()]).when(confirm('ada')).thenRefused('forbidden');
    given(proposalDecider, [open()])
      .when(confirm('bob'))
      .then([confirmed('bob')]);
    given(proposalDecider, [open(), confirmed('bob')])
      .when(confirm('eve'))
      .thenRefused('conflict');
  });

  it('is not confirmed by whom the proposer has invited; what else speaks against two people is recorded', () => {
    given(proposalDecider, [open()])
      .when({ ...confirm('bob'), whyNot: 'the proposer gave you your role' })
      .thenRefused('forbidden');
    const weak = { invitedByProposer: true, sameAddress: true };
    given(proposalDecider, [open()])
      .when({ ...confirm('bob'), ...weak })
      .then([{ type: 'proposal-confirmed.v1', data: { ...by('bob'), at: given.now, ...weak } }]);
  });

  it('is declined by anybody, and then not confirmed', () => {
    const declined: ProposalEvent = {
      type: 'proposal-declined.v1',
      data: { ...by('ada'), at: given.now, reason: 'not yet' },
    };
    given(proposalDecider, [open()])
      .when({ type: 'decline', ...by('ada'), reason: 'not yet' })
      .then([declined]);
    given(proposalDecider, [open(), declined]).when(confirm('bob')).thenRefused('conflict');
    given(proposalDecider, [open(), confirmed('bob')])
      .when({ type: 'decline', ...by('ada'), reason: null })
      .thenRefused('conflict');
  });

  it('expires once its time is over, and not if it was decided', () => {
    const of = { proposalId: 'p1', workspaceId: 'w1' };
    const expired: ProposalEvent = { type: 'proposal-expired.v1', data: { ...of, expiredAt: given.now } };
    given(proposalDecider, [open()])
      .when({ type: 'expire', ...of })
      .then([]);
    given(proposalDecider, [open(given.now)])
      .when({ type: 'expire', ...of })
      .then([expired]);
    given(proposalDecider, [open(given.now), confirmed('bob')])
      .when({ type: 'expire', ...of })
      .then([]);
    given(proposalDecider, [open(given.now), expired])
      .when(confirm('bob'))
      .thenRefused('conflict');
  });

  it('is performed once confirmed, and unknown to other workspaces', () => {
    const of = { proposalId: 'p1', workspaceId: 'w1' };
    given(proposalDecider, [open()])
      .when({ type: 'perform', ...of })
      .thenRefused('conflict');
    given(proposalDecider, [open(), confirmed('bob')])
      .when({ type: 'perform', ...of })
      .then([{ type: 'proposal-performed.v1', data: { ...of, performedAt: given.now } }]);
    given(proposalDecider, [open()])
      .when({ ...confirm('bob'), workspaceId: 'w2' })
      .thenRefused('not_found');
  });
});
