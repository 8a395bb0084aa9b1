import { teamDecider, type Team, type TeamCommand, type TeamEvent } from '#domain/team/index.js';
import type { Application } from '../application.js';
import type { CommandContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { inForceEverywhere } from './revocation.js';

/** Makes a team, without members. */
export async function createTeam(application: Application, name: string, context: CommandContext): Promise<Team> {
  const teamId = derivedId(context.commandId, 'team');
  return changed(application, { type: 'create-team', teamId, name }, context);
}

/**
 * Changes a team; a repeat changes nothing. On resolution every replica sees the change.
 * @throws DomainError
 */
export async function changeTeam(
  application: Application,
  command: TeamCommand,
  context: CommandContext,
): Promise<Team> {
  const team = await changed(application, command, context);
  await inForceEverywhere(application);
  return team;
}

/** Every team, in order of creation. */
export async function allTeams(application: Application): Promise<readonly Team[]> {
  const teams: Team[] = [];
  const made = application.ports.eventStore.readAll({ filter: { types: ['team-created.v1'] } });
  for await (const event of made) {
    const { teamId } = (event as unknown as TeamEvent).data;
    const state = await application.load(teamDecider, teamId);
    if (state.status === 'active') teams.push(state);
  }
  return teams;
}

async function changed(application: Application, command: TeamCommand, context: CommandContext): Promise<Team> {
  const { state } = await application.execute(teamDecider, command.teamId, command, context);
  if (state.status === 'none') throw new Error('a team that was changed has no state');
  return state;
}
