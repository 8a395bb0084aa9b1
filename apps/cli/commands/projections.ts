import type { CommandModule } from 'yargs';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';
import { projectionsAtCommand } from './projections-at.js';

const statusView: View = {
  columns: ['projection', 'version', 'state', 'position', 'lag (events)', 'lag (s)', 'parked', 'error'],
  row: (status) =>
    ['name', 'version', 'state', 'position', 'lagEvents', 'lagSeconds', 'parked', 'error'].map((field) =>
      cell(status[field]),
    ),
  empty: 'No projections.',
};

const parkedView: View = {
  columns: ['projection', 'key', 'failed at', 'event', 'waiting', 'error'],
  row: (parked) =>
    ['projection', 'key', 'position', 'eventType', 'events', 'error'].map((field) => cell(parked[field])),
  empty: 'Nothing is parked.',
};

const status: CommandModule = {
  command: 'status',
  describe: 'Show how far behind the log each read model is, and which keys are parked after an error',
  handler: async (args) => {
    const asJson = args['json'] as boolean;
    await show(ask('projections.status', {}), statusView, asJson);
    await show(ask('projections.parked', {}), parkedView, asJson);
  },
};

const rebuild: CommandModule = {
  command: 'rebuild <name>',
  describe: 'Rebuild a read model from the log, while the live one serves',
  builder: (yargs) =>
    yargs.positional('name', { type: 'string', demandOption: true, describe: 'A name that projections status shows' }),
  handler: async (args) => {
    await show(ask('projections.rebuild', { name: args['name'] as string }), statusView, args['json'] as boolean);
  },
};

const retry: CommandModule = {
  command: 'retry <name> [key]',
  describe: 'Apply the events of parked keys again',
  builder: (yargs) =>
    yargs
      .positional('name', { type: 'string', demandOption: true })
      .positional('key', { type: 'string', describe: 'The parked key; default: all' }),
  handler: async (args) => {
    const { name, key } = args as unknown as { name: string; key?: string };
    await show(ask('projections.retry', { name, key }), parkedView, args['json'] as boolean);
  },
};

/** `anneal projections status|rebuild|retry|at` */
export const projectionCommands: CommandModule = {
  command: 'projections <command>',
  describe: 'Show, rebuild and repair the read models, or serve them as of then',
  builder: (yargs) =>
    yargs
      .command(status)
      .command(rebuild)
      .command(retry)
      .command(projectionsAtCommand)
      .example([
        ['npx $0 projections status', 'Show how far behind each read model is'],
        ['npx $0 projections rebuild inferences', 'Rebuild one of them'],
        ['npx $0 projections at 2030-01-02T03:04:05Z', 'Serve the system as it was then'],
      ])
      .demandCommand(1),
  handler: () => {},
};
