import type { Decider, Env } from '../decider.js';
import { NotFoundError } from '../errors.js';
import type { TeamEvent } from './events.js';
import { evolve, type TeamState } from './state.js';

export type TeamCommand =
  | { readonly type: 'create-team'; readonly teamId: string; readonly name: string }
  | {
      readonly type: 'add-team-member';
      readonly teamId: string;
      readonly userId: string;
      readonly workspaceId: string;
    };

export const teamDecider: Decider<TeamCommand, TeamEvent, TeamState> = {
  category: 'team',
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: TeamCommand, state: TeamState, env: Env): readonly TeamEvent[] {
  switch (command.type) {
    case 'create-team':
      if (state.status !== 'none') return [];
      return [{ type: 'team-created.v1', data: { teamId: command.teamId, name: command.name, createdAt: env.now } }];
    case 'add-team-member': {
      if (state.status === 'none') throw new NotFoundError('team', command.teamId);
      if (state.workspaces.has(command.userId)) return [];
      const { type: _, ...member } = command;
      return [{ type: 'team-member-added.v1', data: { ...member, addedAt: env.now } }];
    }
  }
}
