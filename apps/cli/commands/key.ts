import type { CommandModule } from 'yargs';
import { KEY_SCOPES, type KeyScope } from '#domain/api-key/index.js';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const listView: View = {
  columns: ['id', 'name', 'ends in', 'user', 'created', 'last used', 'expires', 'scopes', 'calls'],
  row: (key) =>
    ['id', 'name', 'lastDigits', 'email', 'createdAt', 'lastUsedAt', 'expiresAt', 'scopes', 'requestCount'].map((f) =>
      cell(key[f]),
    ),
  empty: 'No keys.',
};

const createdView: View = {
  columns: ['key (shown once)', 'id', 'name', 'user'],
  row: (key) => ['secretKey', 'id', 'name', 'email'].map((field) => cell(key[field])),
  empty: '',
};

const revokedView: View = {
  columns: ['id', 'revoked'],
  row: (key) => [cell(key['id']), cell(key['message'])],
  empty: '',
};

const emailOption = { type: 'string', describe: "Whose key, by e-mail address; default: the first user's" } as const;

interface Create {
  readonly name: string;
  readonly email?: string;
  readonly expiresAt?: string;
  readonly scopes?: KeyScope[];
}

const create: CommandModule = {
  command: 'create <name>',
  describe: 'Make an API key; it is shown once',
  builder: (yargs) =>
    yargs.positional('name', { type: 'string', demandOption: true }).options({
      email: emailOption,
      'expires-at': { type: 'string', describe: 'ISO 8601; default: never' },
      scopes: { type: 'string', array: true, choices: KEY_SCOPES, describe: 'What it may do; default: everything' },
    }),
  handler: async (args) => {
    const { name, email, expiresAt, scopes } = args as unknown as Create;
    await show(ask('key.create', { name, email, expiresAt, scopes }), createdView, args['json'] as boolean);
  },
};

const list: CommandModule = {
  command: 'list',
  describe: 'The keys that are in force, without their secrets',
  builder: (yargs) => yargs.options({ email: emailOption }),
  handler: async (args) => {
    await show(ask('key.list', { email: args['email'] as string | undefined }), listView, args['json'] as boolean);
  },
};

const revoke: CommandModule = {
  command: 'revoke <id>',
  describe: 'Refuse a key from now on',
  builder: (yargs) => yargs.positional('id', { type: 'string', demandOption: true }),
  handler: async (args) => {
    await show(ask('key.revoke', { id: args['id'] as string }), revokedView, args['json'] as boolean);
  },
};

/** `anneal key create|list|revoke` */
export const keyCommands: CommandModule = {
  command: 'key <command>',
  describe: 'Make, list and revoke API keys',
  builder: (yargs) => yargs.command(create).command(list).command(revoke).demandCommand(1),
  handler: () => {},
};
