import type { CommandModule } from 'yargs';
import type { Json, JsonObject } from '#domain/json.js';
import { BUDGET_PERIODS, KEY_SCOPES, type KeyScope } from '#domain/api-key/index.js';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const listView: View = {
  columns: ['id', 'name', 'ends in', 'user', 'created', 'last used', 'expires', 'scopes', 'limits', 'calls'],
  row: (key) => [
    ...['id', 'name', 'lastDigits', 'email', 'createdAt', 'lastUsedAt', 'expiresAt', 'scopes'].map((f) => cell(key[f])),
    limitsCell(key['limits'], key['budgetUsed']),
    cell(key['requestCount']),
  ],
  empty: 'No keys.',
};

const createdView: View = {
  columns: ['key (shown once)', 'id', 'name', 'user', 'limits'],
  row: (key) => [...['secretKey', 'id', 'name', 'email'].map((field) => cell(key[field])), limitsCell(key['limits'])],
  empty: '',
};

const limitedView: View = {
  columns: ['id', 'limits'],
  row: (key) => [cell(key['id']), limitsCell(key['limits'])],
  empty: '',
};

/** `models=qwen/*,tickets budget=5.00 (1.20 used) budgetPeriod=day` */
const limitsCell = (limits: Json | undefined, used?: Json): string =>
  Object.entries((limits ?? {}) as JsonObject)
    .map(([name, value]) => {
      const shown = Array.isArray(value) ? value.join(',') : cell(value);
      return `${name}=${shown}${name === 'budget' && typeof used === 'string' ? ` (${used} used)` : ''}`;
    })
    .join(' ') || '-';

const revokedView: View = {
  columns: ['id', 'revoked'],
  row: (key) => [cell(key['id']), cell(key['message'])],
  empty: '',
};

const LIMITS = {
  models: {
    type: 'string',
    array: true,
    describe:
      'The only models that the key may call, by id, alias or name; one with * at its end allows all that begin so',
  },
  'requests-per-minute': { type: 'string', describe: 'How many requests in a minute may call models' },
  'tokens-per-minute': { type: 'string', describe: 'How many tokens the calls of a minute may have' },
  budget: { type: 'string', describe: 'What the calls of a period may cost, in US dollars' },
  'budget-period': {
    type: 'string',
    choices: [...BUDGET_PERIODS, 'none'],
    describe: "The period of the budget, in UTC; none: the key's life",
  },
} as const;

interface Limits {
  readonly models?: string[];
  readonly requestsPerMinute?: string;
  readonly tokensPerMinute?: string;
  readonly budget?: string;
  readonly budgetPeriod?: string;
}

const limitsOf = ({ models, requestsPerMinute, tokensPerMinute, budget, budgetPeriod }: Limits) => ({
  ...{ models, requestsPerMinute, tokensPerMinute, budget, budgetPeriod },
});

interface Create extends Limits {
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
      ...LIMITS,
    }),
  handler: async (args) => {
    const { name, email, expiresAt, scopes } = args as unknown as Create;
    const order = { name, email, expiresAt, scopes, ...limitsOf(args as unknown as Limits) };
    await show(ask('key.create', order), createdView, args['json'] as boolean);
  },
};

const limit: CommandModule = {
  command: 'limit <id>',
  describe: 'Change limits of an API key, from its next request on: none lifts one, what is not named stays',
  builder: (yargs) =>
    yargs
      .positional('id', { type: 'string', demandOption: true, describe: 'The id that key list shows' })
      .options(LIMITS),
  handler: async (args) => {
    const order = { id: args['id'] as string, ...limitsOf(args as unknown as Limits) };
    await show(ask('key.limit', order), limitedView, args['json'] as boolean);
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

/** `anneal key create|list|limit|revoke` */
export const keyCommands: CommandModule = {
  command: 'key <command>',
  describe: 'Make, list, limit and revoke API keys',
  builder: (yargs) =>
    yargs
      .command(create)
      .command(list)
      .command(limit)
      .command(revoke)
      .example([
        ['npx $0 key create laptop', 'Make a key that may do everything'],
        ['npx $0 key create ci --scopes inference --expires-at 2030-01-01', 'Make a key that expires'],
        ['npx $0 key list', 'List the keys'],
        ['npx $0 key limit ID --budget 20 --budget-period month', 'Limit what its calls may cost in a month'],
      ])
      .demandCommand(1),
  handler: () => {},
};
