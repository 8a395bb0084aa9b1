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

interface Create {
  readonly name: string;
  readonly email?: string;
  readonly expiresAt?: string;
  readonly scopes?: KeyScope[];
}

const create: CommandModule = {
  command: 'create <name>',
  describe: 'Make an API key, and show it once',
  builder: (yargs) =>
    yargs.positional('name', { type: 'string', demandOption: true, describe: 'A name to know the key by' }).options({
      email: { type: 'string', describe: 'The user whose key it is, by e-mail address; default: the first user' },
      'expires-at': { type: 'string', describe: 'When the key expires (ISO 8601); default: never' },
      scopes: {
        type: 'string',
        array: true,
        choices: KEY_SCOPES,
        describe: 'What the key may do; default: everything',
      },
    }),
  handler: async (args) => {
    const { name, email, expiresAt, scopes } = args as unknown as Create;
    await show(ask('key.create', { name, email, expiresAt, scopes }), createdView, args['json'] as boolean);
  },
};

const list: CommandModule = {
  command: 'list',
  describe: 'List the API keys in force, without their secrets',
  builder: (yargs) =>
    yargs.options({ email: { type: 'string', describe: 'List only the keys of this user, by e-mail address' } }),
  handler: async (args) => {
    await show(ask('key.list', { email: args['email'] as string | undefined }), listView, args['json'] as boolean);
  },
};

const revoke: CommandModule = {
  command: 'revoke <id>',
  describe: 'Revoke an API key: it is refused from now on',
  builder: (yargs) =>
    yargs.positional('id', { type: 'string', demandOption: true, describe: 'The id that key list shows' }),
  handler: async (args) => {
    await show(ask('key.revoke', { id: args['id'] as string }), revokedView, args['json'] as boolean);
  },
};

/** `anneal key create|list|revoke` */
export const keyCommands: CommandModule = {
  command: 'key <command>',
  describe: 'Make, list and revoke API keys',
  builder: (yargs) =>
    yargs
      .command(create)
      .command(list)
      .command(revoke)
      .example([
        ['npx $0 key create laptop', 'Make a key that may do everything'],
        ['npx $0 key create ci --scopes inference --expires-at 2030-01-01', 'Make a key that expires'],
        ['npx $0 key list', 'List the keys'],
      ])
      .demandCommand(1),
  handler: () => {},
};
