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
  describe: "Id of a workspace, or the e-mail address of its owner; default: the team's first workspace",
} as const;

export const teamOption = { type: 'string', describe: 'Name or id of the team; default: the first team' } as const;

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
  asking('list', 'List all teams', 'team.list', teamView, {}),
  asking('members', 'List the members of a team', 'team.members', memberView, withTeam),
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
    'Add a member with a private workspace, and print a link to sign in once',
    'team.add-member',
    addedView,
    (yargs) => yargs.positional('email', { type: 'string', demandOption: true }).options({ team: teamOption }),
    ({ email }) => ({ email }),
  ),
  asking(
    'remove-member <email>',
    'Remove a member: their keys and sessions are refused from now on',
    'team.remove-member',
    teamView,
    (yargs) => yargs.positional('email', { type: 'string', demandOption: true }),
    ({ email }) => ({ email }),
  ),
  asking(
    'erase-member <email>',
    'Remove a member, and make their e-mail address unreadable, also in the log and its backups',
    'team.erase-member',
    erasedView,
    (yargs) =>
      yargs.positional('email', { type: 'string', demandOption: true, describe: 'The e-mail address, or the user id' }),
    ({ email }) => ({ email }),
  ),
  asking(
    'role <email> <role>',
    'Give a person a role in a workspace, or take it (none); a person outside the team is invited',
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
    'Show the contents of calls and datasets to the analysts of a workspace (on), or hide them (off)',
    'team.analysts-content',
    contentView,
    (yargs) => yargs.positional('state', onOff).options({ team: teamOption, workspace: workspaceOption }),
    ({ state, workspace }) => ({ shown: state === 'on', workspace }),
  ),
  asking(
    'set',
    'Set the plan, the region, the opt-out of data use, and whether a card is on file',
    'team.set',
    teamView,
    {
      team: teamOption,
      plan: { choices: PLANS, describe: 'The plan' },
      region: { type: 'string', describe: 'Country code (ISO 3166-1) such as DE or US; or none' },
      'opt-out': { type: 'boolean', describe: 'The team opts out of the use of its data; --no-opt-out: it does not' },
      card: { type: 'boolean', describe: 'The team has a verified payment method; --no-card: it has none' },
    },
    ({ plan, region, optOut, card }) => ({ plan, region, optOut, card }),
  ),
  asking(
    'rollout <name> <state>',
    'Give a team a rollout (on), or take it back (off)',
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
    'Set a limit that holds for each workspace of a team',
    'team.limit',
    teamView,
    (yargs) =>
      yargs
        .positional('name', { choices: Object.keys(WORKSPACE_LIMITS), demandOption: true })
        .positional('value', { type: 'string', describe: 'A whole number; or default', demandOption: true })
        .options({ team: teamOption }),
    ({ name, value }) => ({ limit: name, value: value === 'default' ? null : Number(value) }),
  ),
  asking(
    'block',
    'Block a team: its keys and sessions are refused from now on',
    'team.block',
    teamView,
    { team: teamOption, reason: { choices: ['billing', 'fraud_review'], default: 'billing', describe: 'The reason' } },
    ({ reason }) => ({ reason }),
  ),
  asking('unblock', 'Unblock a team: its keys and sessions are accepted again', 'team.unblock', teamView, withTeam),
];

/** `anneal team list|members|create|add-member|remove-member|role|analysts-content|set|rollout|limit|block|unblock` */
export const teamCommands: CommandModule = {
  command: 'team <command>',
  describe: 'Manage teams, their members, roles and limits',
  builder: (yargs) =>
    commands
      .reduce((all, each) => all.command(each), yargs)
      .example([
        ['npx $0 team add-member ada@example.com', 'Add a member, and print a sign-in link'],
        ['npx $0 team role ada@example.com analyst', 'Give a role in the first workspace'],
        ['npx $0 team limit exports 20', 'Set a limit'],
      ])
      .demandCommand(1),
  handler: () => {},
};
