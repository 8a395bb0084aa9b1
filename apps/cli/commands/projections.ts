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
  describe: 'How far each read model has come, and what is parked',
  handler: async (args) => {
    const asJson = args['json'] as boolean;
    await show(ask('projections.status', {}), statusView, asJson);
    await show(ask('projections.parked', {}), parkedView, asJson);
  },
};

const rebuild: CommandModule = {
  command: 'rebuild <name>',
  describe: 'Build a read model again from the log, beside the live one',
  builder: (yargs) => yargs.positional('name', { type: 'string', demandOption: true }),
  handler: async (args) => {
    await show(ask('projections.rebuild', { name: args['name'] as string }), statusView, args['json'] as boolean);
  },
};

const retry: CommandModule = {
  command: 'retry <name> [key]',
  describe: 'Try parked keys again',
  builder: (yargs) =>
    yargs
      .positional('name', { type: 'string', demandOption: true })
      .positional('key', { type: 'string', describe: 'Default: all that are parked' }),
  handler: async (args) => {
    const { name, key } = args as unknown as { name: string; key?: string };
    await show(ask('projections.retry', { name, key }), parkedView, args['json'] as boolean);
  },
};

/** `anneal projections status|rebuild|retry|at` */
export const projectionCommands: CommandModule = {
  command: 'projections <command>',
  describe: 'Look after the read models',
  builder: (yargs) =>
    yargs.command(status).command(rebuild).command(retry).command(projectionsAtCommand).demandCommand(1),
  handler: () => {},
};
