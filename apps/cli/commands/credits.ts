import type { CommandModule } from 'yargs';
import type { JsonObject } from '#domain/json.js';
import { CORRECTION_REASONS } from '#domain/ledger/index.js';
import { amountCell, cell, show, type View } from '../output.js';
import { ask } from '../session.js';
import { teamOption } from './team.js';

const standingView: View = {
  columns: ['team', 'month', 'monthly credits', 'spent', 'overage', 'ceiling', 'paid balance', 'available'],
  row: (team) => [
    ...['name', 'month'].map((field) => cell(team[field])),
    ...['monthlyCredits', 'spent', 'overage', 'overageCeiling', 'paidBalance', 'available'].map((field) =>
      amountCell(team[field]),
    ),
  ],
  empty: 'No teams.',
};

const ledgerView: View = {
  columns: ['at', 'entry', 'amount', 'reason', 'call', 'id'],
  row: ({ at, kind, dollars, reason, inferenceId, id }) => [
    ...[at, kind].map(cell),
    amountCell(dollars),
    ...[reason, inferenceId, id].map(cell),
  ],
  empty: 'No entries.',
};

const enforcementView: View = {
  columns: ['enforced', 'card required'],
  row: (status) => [cell(status['enforced']), cell(status['cardRequired'])],
  empty: '',
};

/** A command about an amount of dollars. */
const amount = (name: string, describe: string, operation: string, forms: string): CommandModule => ({
  command: `${name} <dollars>`,
  describe,
  builder: (yargs) =>
    yargs.positional('dollars', { type: 'string', demandOption: true, describe: forms }).options({ team: teamOption }),
  handler: ({ dollars, team, json }) => asked(operation, { dollars, team }, standingView, json),
});

const correct: CommandModule = {
  command: 'correct <dollars>',
  describe: 'Add an amount to the paid balance, or subtract a negative one, such as -1.50',
  builder: (yargs) =>
    yargs
      .positional('dollars', { type: 'string', demandOption: true, describe: 'Dollars to add, such as -1.50 or 2' })
      .options({
        team: teamOption,
        reason: { choices: CORRECTION_REASONS, demandOption: true, describe: 'The reason, which the ledger shows' },
        call: { type: 'string', describe: 'The id of the call that the correction is about' },
      }),
  handler: ({ dollars, team, reason, call, json }) =>
    asked('credits.correct', { dollars, team, reason, inferenceId: call }, standingView, json),
};

const showCredits: CommandModule = {
  command: 'show',
  describe: 'Show what each team has spent this month, and what it may still spend',
  builder: { team: { type: 'string', describe: 'Name or id of a team; default: all teams' } },
  handler: ({ team, json }) => asked('credits.show', { team }, standingView, json),
};

const ledger: CommandModule = {
  command: 'ledger',
  describe: 'List top-ups, corrections and changes of limits, newest first',
  builder: { team: teamOption },
  handler: ({ team, json }) => asked('credits.ledger', { team }, ledgerView, json),
};

/** `anneal credits show|ledger|add|correct|monthly|ceiling` */
export const creditCommands: CommandModule = {
  command: 'credits <command>',
  describe: 'Show and set what teams may spend',
  builder: (yargs) =>
    yargs
      .command(showCredits)
      .command(ledger)
      .command(amount('add', 'Add dollars to the paid balance', 'credits.add', 'Dollars, such as 25 or 0.10'))
      .command(correct)
      .command(amount('monthly', 'Set the credits that each month includes', 'credits.monthly', 'Dollars, such as 5'))
      .command(
        amount(
          'ceiling',
          'Set how much calls of a month may draw from the paid balance',
          'credits.ceiling',
          'Dollars, such as 50; or none',
        ),
      )
      .example([
        ['npx $0 credits add 25', 'Add 25 dollars to the paid balance of the first team'],
        ['npx $0 credits monthly 5 --team acme', 'Include 5 dollars in each month for the team "acme"'],
        ['npx $0 credits show', 'Show where each team stands'],
      ])
      .demandCommand(1),
  handler: () => {},
};

const enforce: CommandModule = {
  command: 'enforce <state>',
  describe: 'Refuse calls of teams that have no credits left (on), or accept all calls (off)',
  builder: (yargs) =>
    yargs.positional('state', { choices: ['on', 'off'], demandOption: true }).options({
      'require-card': {
        type: 'boolean',
        default: false,
        describe: 'Also refuse calls of teams without a verified payment method',
      },
    }),
  handler: ({ state, requireCard, json }) =>
    asked('billing.enforce', { enforced: state === 'on', cardRequired: requireCard }, enforcementView, json),
};

const status: CommandModule = {
  command: 'status',
  describe: 'Show whether credits are enforced',
  handler: ({ json }) => asked('billing.status', {}, enforcementView, json),
};

/** `anneal billing enforce|status` */
export const billingCommands: CommandModule = {
  command: 'billing <command>',
  describe: 'Show or set whether credits are enforced',
  builder: (yargs) =>
    yargs
      .command(enforce)
      .command(status)
      .example([
        ['npx $0 billing status', 'Show whether credits are enforced'],
        ['npx $0 billing enforce on', 'Refuse calls of teams that have no credits left'],
      ])
      .demandCommand(1),
  handler: () => {},
};

async function asked(operation: string, args: Record<string, unknown>, view: View, json: unknown): Promise<void> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  await show(ask(operation, Object.fromEntries(given) as JsonObject), view, json === true);
}
