import type { CommandModule } from 'yargs';
import type { JsonObject } from '#domain/json.js';
import { OperationError } from '#apps/operator/operation.js';
import { cell, follow, show, type View } from '../output.js';
import { ask } from '../session.js';

const view: View = {
  columns: ['position', 'occurred at', 'stream', 'rev', 'type', 'actor', 'data'],
  row(event) {
    const metadata = event['metadata'] as JsonObject;
    return [
      (event['position'] as string).replace(/^0+(?=\d)/, ''),
      cell(metadata['occurredAt']),
      cell(event['stream']),
      cell(event['revision']),
      cell(event['type']),
      cell(metadata['actor']),
      shortened(JSON.stringify(event['data']), 80),
    ];
  },
  empty: 'No events.',
};

const shortened = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** Thrown errors are shown with the command's help. */
function wholeNumber(value: number | undefined): number | undefined {
  if (value !== undefined && (!Number.isInteger(value) || value < 0))
    throw new OperationError('give a whole number from 0');
  return value;
}

const filterOptions = {
  type: { type: 'string', array: true, describe: 'Only these event types' },
  category: { type: 'string', array: true, describe: 'Only streams of these categories (job, dataset, key ...)' },
} as const;

const tail: CommandModule = {
  command: 'tail',
  describe: 'The newest events',
  builder: (yargs) =>
    yargs.options({
      ...filterOptions,
      last: { alias: 'n', type: 'number', default: 20, coerce: wholeNumber, describe: 'How many' },
      follow: { alias: 'f', type: 'boolean', default: false, describe: 'Go on with those to come' },
    }),
  handler: async (args) => {
    const frames = ask('events.tail', {
      last: args['last'] as number,
      follow: args['follow'] as boolean,
      ...filter(args),
    });
    await (args['follow'] ? follow : show)(frames, view, args['json'] as boolean);
  },
};

const replay: CommandModule = {
  command: 'replay [stream]',
  describe: 'One stream, or the whole log, from the beginning',
  builder: (yargs) =>
    yargs
      .positional('stream', { type: 'string', describe: 'For example job-<id>; default: the whole log' })
      .options({
        ...filterOptions,
        after: { type: 'number', coerce: wholeNumber, describe: 'Begin behind this position of the log' },
        limit: { type: 'number', coerce: wholeNumber, describe: 'At most so many' },
      })
      .conflicts('stream', 'after'),
  handler: async (args) => {
    const { stream, after, limit } = args as { stream?: string; after?: number; limit?: number };
    const position = after?.toString().padStart(16, '0');
    const frames = ask('events.replay', { stream, after: position, limit, ...filter(args) });
    await show(frames, view, args['json'] as boolean);
  },
};

const checkView: View = {
  columns: ['position', 'problem'],
  row: ({ position, problem, events, unchecked, damaged }) =>
    problem === undefined
      ? ['', `${cell(events)} events checked, ${cell(damaged)} damaged, ${cell(unchecked)} without a checksum`]
      : [cell(position).replace(/^0+(?=\d)/, ''), cell(problem)],
  empty: 'The check was interrupted.',
};

const check: CommandModule = {
  command: 'check',
  describe: 'Read the whole log and say what is damaged; the exit status is 1 if anything is',
  handler: async (args) => {
    let intact = false;
    const frames = async function* () {
      for await (const frame of ask('events.check', {})) {
        if ((frame as JsonObject)['damaged'] === 0) intact = true;
        yield frame;
      }
    };
    await show(frames(), checkView, args['json'] as boolean);
    if (!intact) process.exitCode = 1;
  },
};

function filter(args: Readonly<Record<string, unknown>>): JsonObject {
  const { type, category } = args as { type?: string[]; category?: string[] };
  return { ...(type && { types: type }), ...(category && { categories: category }) };
}

/** `anneal events tail|replay|check` */
export const eventCommands: CommandModule = {
  command: 'events <command>',
  describe: 'Read the event log',
  builder: (yargs) => yargs.command(tail).command(replay).command(check).demandCommand(1),
  handler: () => {},
};
