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
  describe: 'Correct the paid balance: by -1.50, say',
  builder: (yargs) =>
    yargs.positional('dollars', { type: 'string', demandOption: true }).options({
      team: teamOption,
      reason: { choices: CORRECTION_REASONS, demandOption: true },
      call: { type: 'string', describe: 'The id of the call that it is about' },
    }),
  handler: ({ dollars, team, reason, call, json }) =>
    asked('credits.correct', { dollars, team, reason, inferenceId: call }, standingView, json),
};

const showCredits: CommandModule = {
  command: 'show',
  describe: 'How each team stands this month',
  builder: { team: { type: 'string', describe: 'Its name or id; default: all' } },
  handler: ({ team, json }) => asked('credits.show', { team }, standingView, json),
};

const ledger: CommandModule = {
  command: 'ledger',
  describe: 'Top-ups, corrections and limits, newest first',
  builder: { team: teamOption },
  handler: ({ team, json }) => asked('credits.ledger', { team }, ledgerView, json),
};

/** `anneal credits show|ledger|add|correct|monthly|ceiling` */
export const creditCommands: CommandModule = {
  command: 'credits <command>',
  describe: 'What teams may spend',
  builder: (yargs) =>
    yargs
      .command(showCredits)
      .command(ledger)
      .command(amount('add', 'Add to the paid balance', 'credits.add', 'such as 25 or 0.10'))
      .command(correct)
      .command(amount('monthly', 'Set what is included each month', 'credits.monthly', 'such as 5'))
      .command(
        amount(
          'ceiling',
          'Set how much a month may draw from the paid balance',
          'credits.ceiling',
          'such as 50, or none',
        ),
      )
      .demandCommand(1),
  handler: () => {},
};

const enforce: CommandModule = {
  command: 'enforce <state>',
  describe: 'Refuse calls that a team has no credits for, or let all calls through',
  builder: (yargs) =>
    yargs.positional('state', { choices: ['on', 'off'], demandOption: true }).options({
      'require-card': {
        type: 'boolean',
        default: false,
        describe: 'Refuse those without a verified payment method too',
      },
    }),
  handler: ({ state, requireCard, json }) =>
    asked('billing.enforce', { enforced: state === 'on', cardRequired: requireCard }, enforcementView, json),
};

const status: CommandModule = {
  command: 'status',
  describe: 'Whether credits are enforced',
  handler: ({ json }) => asked('billing.status', {}, enforcementView, json),
};

/** `anneal billing enforce|status` */
export const billingCommands: CommandModule = {
  command: 'billing <command>',
  describe: 'Whether credits are enforced',
  builder: (yargs) => yargs.command(enforce).command(status).demandCommand(1),
  handler: () => {},
};

async function asked(operation: string, args: Record<string, unknown>, view: View, json: unknown): Promise<void> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  await show(ask(operation, Object.fromEntries(given) as JsonObject), view, json === true);
}
