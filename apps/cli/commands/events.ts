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
    throw new OperationError('--last, --after and --limit take a whole number from 0');
  return value;
}

const filterOptions = {
  type: { type: 'string', array: true, describe: 'Show only events of these types' },
  category: {
    type: 'string',
    array: true,
    describe: 'Show only events of streams of these categories (job, dataset, key ...)',
  },
} as const;

const tail: CommandModule = {
  command: 'tail',
  describe: 'Show the newest events',
  builder: (yargs) =>
    yargs.options({
      ...filterOptions,
      last: { alias: 'n', type: 'number', default: 20, coerce: wholeNumber, describe: 'Number of events' },
      follow: {
        alias: 'f',
        type: 'boolean',
        default: false,
        describe: 'Then show new events as they happen, until Ctrl-C',
      },
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
  describe: 'Show the events of one stream, or of the whole log, from the beginning',
  builder: (yargs) =>
    yargs
      .positional('stream', { type: 'string', describe: 'A stream such as job-<id>; default: the whole log' })
      .options({
        ...filterOptions,
        after: { type: 'number', coerce: wholeNumber, describe: 'Show only events after this position of the log' },
        limit: { type: 'number', coerce: wholeNumber, describe: 'The maximum number of events' },
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
      ? [
          '',
          `${cell(events)} events checked, ${cell(damaged)} damaged, ${cell(unchecked)} archived or without a checksum`,
        ]
      : [cell(position).replace(/^0+(?=\d)/, ''), cell(problem)],
  empty: 'The check was interrupted.',
};

const check: CommandModule = {
  command: 'check',
  describe: 'Read the whole log and report damaged events; the exit status is 1 if there are any',
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
  builder: (yargs) =>
    yargs
      .command(tail)
      .command(replay)
      .command(check)
      .example([
        ['npx $0 events tail --follow', 'Watch events as they happen'],
        ['npx $0 events replay job-<id>', 'Show how a training job went'],
        ['npx $0 events replay --category dataset --json', 'Print all events of datasets as JSON'],
      ])
      .demandCommand(1),
  handler: () => {},
};
