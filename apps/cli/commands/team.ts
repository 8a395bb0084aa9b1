import type { CommandModule } from 'yargs';
import { PLANS, WORKSPACE_LIMITS } from '#domain/team/index.js';
import { ROLES } from '#domain/permissions.js';
import type { JsonObject } from '#domain/json.js';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const teamView: View = {
  columns: ['id', 'name', 'members', 'plan', 'region', 'rollouts', 'opted out', 'card', 'limits', 'blocked'],
  row: (team) => [
    ...['id', 'name', 'members', 'plan', 'region'].map((field) => cell(team[field])),
    (team['rollouts'] as string[]).join(' ') || '-',
    ...['dataUseOptedOut', 'cardVerified'].map((field) => cell(team[field])),
    Object.entries(team['limits'] as Record<string, number>)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ') || '-',
    cell(team['blocked']),
  ],
  empty: 'No teams: the first start of the system makes one.',
};

const memberView: View = {
  columns: ['user', 'e-mail', 'workspace', 'role'],
  row: (member) => ['userId', 'email', 'workspaceId', 'role'].map((field) => cell(member[field])),
  empty: 'No members.',
};

const addedView: View = {
  columns: ['e-mail', 'user', 'team', 'signs in once, within a day'],
  row: (member) => ['email', 'userId', 'team', 'signInLink'].map((field) => cell(member[field])),
  empty: '',
};

const roleView: View = {
  columns: ['e-mail', 'user', 'workspace', 'role', 'signs in once, within a day'],
  row: (given) => ['email', 'userId', 'workspaceId', 'role', 'signInLink'].map((field) => cell(given[field])),
  empty: '',
};

const erasedView: View = {
  columns: ['user', 'erased at', 'keys destroyed', 'event', 'remains'],
  row: ({ userId, erasedAt, keys, event, remains }) => {
    const { stream, revision } = event as { stream: string; revision: number };
    const fingerprints = (keys as { fingerprint: string }[]).map(({ fingerprint }) => fingerprint);
    const list = (texts: string[]) => texts.join('; ') || '-';
    return [cell(userId), cell(erasedAt), list(fingerprints), `${stream}/${revision}`, list(remains as string[])];
  },
  empty: '',
};

const contentView: View = {
  columns: ['workspace', 'analysts see content'],
  row: (set) => ['workspaceId', 'analystsSeeContent'].map((field) => cell(set[field])),
  empty: '',
};

const workspaceOption = {
  type: 'string',
  describe: "Its id, or the e-mail address of whose own it is; default: the team's first",
} as const;

export const teamOption = { type: 'string', describe: 'Its name or id; default: the first team' } as const;

const onOff = { choices: ['on', 'off'], demandOption: true } as const;

/** A command that runs one operation with the arguments from `argsOf`. */
function asking(
  command: string,
  describe: string,
  operation: string,
  view: View,
  builder: CommandModule['builder'],
  argsOf: (args: Record<string, unknown>) => Record<string, unknown> = () => ({}),
): CommandModule {
  return {
    command,
    describe,
    ...(builder && { builder }),
    handler: async (args) => {
      const team = args['team'] === undefined ? {} : { team: args['team'] };
      await show(ask(operation, { ...team, ...argsOf(args) } as JsonObject), view, args['json'] as boolean);
    },
  };
}

const withTeam: CommandModule['builder'] = { team: teamOption };

const commands = [
  asking('list', 'All teams', 'team.list', teamView, {}),
  asking('members', "A team's members", 'team.members', memberView, withTeam),
  asking(
    'create <name>',
    'Make a team',
    'team.create',
    teamView,
    (yargs) => yargs.positional('name', { type: 'string', demandOption: true }),
    ({ name }) => ({ name }),
  ),
  asking(
    'add-member <email>',
    'Add a member, with a private workspace; prints a link to sign in once',
    'team.add-member',
    addedView,
    (yargs) => yargs.positional('email', { type: 'string', demandOption: true }).options({ team: teamOption }),
    ({ email }) => ({ email }),
  ),
  asking(
    'remove-member <email>',
    'Refuse a member’s keys and sessions from now on',
    'team.remove-member',
    teamView,
    (yargs) => yargs.positional('email', { type: 'string', demandOption: true }),
    ({ email }) => ({ email }),
  ),
  asking(
    'erase-member <email>',
    'Remove a member and make their e-mail address unreadable, in the log and backups of it too',
    'team.erase-member',
    erasedView,
    (yargs) => yargs.positional('email', { type: 'string', demandOption: true, describe: 'The address, or the id' }),
    ({ email }) => ({ email }),
  ),
  asking(
    'role <email> <role>',
    'Give a person a role in a workspace, or none; invites who is not in the team yet',
    'team.role',
    roleView,
    (yargs) =>
      yargs
        .positional('email', { type: 'string', demandOption: true })
        .positional('role', { choices: [...ROLES, 'none'], demandOption: true })
        .options({ team: teamOption, workspace: workspaceOption }),
    ({ email, role, workspace }) => ({ email, role, workspace }),
  ),
  asking(
    'analysts-content <state>',
    'Show analysts of a workspace what calls and datasets say, or not',
    'team.analysts-content',
    contentView,
    (yargs) => yargs.positional('state', onOff).options({ team: teamOption, workspace: workspaceOption }),
    ({ state, workspace }) => ({ shown: state === 'on', workspace }),
  ),
  asking(
    'set',
    'Set the plan, the region, the opt-out of data use, whether a card is on file',
    'team.set',
    teamView,
    {
      team: teamOption,
      plan: { choices: PLANS },
      region: { type: 'string', describe: 'ISO 3166-1 (DE, US), or none' },
      'opt-out': { type: 'boolean', describe: 'Of the use of its data; --no-opt-out takes it back' },
      card: { type: 'boolean', describe: 'A verified payment method is on file; --no-card: none' },
    },
    ({ plan, region, optOut, card }) => ({ plan, region, optOut, card }),
  ),
  asking(
    'rollout <name> <state>',
    'Give a team a rollout, or take it back',
    'team.rollout',
    teamView,
    (yargs) =>
      yargs
        .positional('name', { type: 'string', demandOption: true })
        .positional('state', onOff)
        .options({ team: teamOption }),
    ({ name, state }) => ({ rollout: name, enabled: state === 'on' }),
  ),
  asking(
    'limit <name> <value>',
    'Set what each workspace of a team may hold or have waiting',
    'team.limit',
    teamView,
    (yargs) =>
      yargs
        .positional('name', { choices: Object.keys(WORKSPACE_LIMITS), demandOption: true })
        .positional('value', { type: 'string', describe: 'A whole number, or default', demandOption: true })
        .options({ team: teamOption }),
    ({ name, value }) => ({ limit: name, value: value === 'default' ? null : Number(value) }),
  ),
  asking(
    'block',
    'Refuse all keys and sessions of a team from now on',
    'team.block',
    teamView,
    { team: teamOption, reason: { choices: ['billing', 'fraud_review'], default: 'billing' } },
    ({ reason }) => ({ reason }),
  ),
  asking('unblock', 'Let a team in again', 'team.unblock', teamView, withTeam),
];

/** `anneal team list|members|create|add-member|remove-member|role|analysts-content|set|rollout|limit|block|unblock` */
export const teamCommands: CommandModule = {
  command: 'team <command>',
  describe: 'Teams, their members and what they may do',
  builder: (yargs) => commands.reduce((all, each) => all.command(each), yargs).demandCommand(1),
  handler: () => {},
};
