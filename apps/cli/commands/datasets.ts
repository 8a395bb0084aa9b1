import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const view = (empty: string): View => ({
  columns: ['name', 'version', 'type', 'status', 'rows', 'changed', 'read as', 'error'],
  row: (version) =>
    ['name', 'version', 'type', 'status', 'rows', 'updatedAt', 'readAs', 'error'].map((field) => cell(version[field])),
  empty,
});

const whose = {
  email: { type: 'string', describe: 'The user whose workspace to use, by e-mail address; default: the first user' },
  benchmarks: {
    type: 'boolean',
    default: false,
    describe: 'Use the benchmarks, which all workspaces can read, instead',
  },
} as const;

interface Whose {
  readonly email?: string;
  readonly benchmarks: boolean;
}

const list: CommandModule = {
  command: 'list',
  describe: 'List the versions of datasets',
  builder: (yargs) =>
    yargs.options({
      ...whose,
      deleted: { type: 'boolean', default: false, describe: 'List the deleted versions instead' },
    }),
  handler: async (args) => {
    const { email, benchmarks, deleted } = args as unknown as Whose & { deleted: boolean };
    const frames = ask('datasets.list', { email, benchmarks, deleted });
    await show(frames, view(deleted ? 'Nothing was deleted.' : 'No datasets.'), args['json'] as boolean);
  },
};

const restore: CommandModule = {
  command: 'restore <name> [number]',
  describe: 'Restore a deleted dataset, or one deleted version of it',
  builder: (yargs) =>
    yargs
      .positional('name', { type: 'string', demandOption: true })
      .positional('number', {
        type: 'number',
        describe: 'Number of the version; default: all versions that were ready when they were deleted',
      })
      .options(whose),
  handler: async (args) => {
    const { name, number: version, email, benchmarks } = args as unknown as Whose & { name: string; number?: number };
    const frames = ask('datasets.restore', { name, version, email, benchmarks });
    await show(frames, view('No deleted version to restore.'), args['json'] as boolean);
  },
};

const addBenchmark: CommandModule = {
  command: 'add-benchmark <file> <name>',
  describe: 'Add a file as a benchmark, or as the next version of one; all workspaces can read it and evaluate on it',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true, describe: 'A JSON, JSONL, CSV or Parquet file' })
      .positional('name', { type: 'string', demandOption: true })
      .options({
        type: {
          choices: ['ner', 'classification', 'custom', 'decoder'],
          default: 'ner',
          describe: 'What the rows hold',
        },
        column: {
          type: 'string',
          array: true,
          describe: 'COLUMN=NAME: the name that a column of Anneal has in the file, such as text=sentence',
        },
        'on-error': {
          choices: ['fail', 'skip'],
          describe:
            'Fail because of a row that is not valid, or leave such rows out; default: leave out up to 5 of 100',
        },
      }),
  handler: async (args) => {
    const { file, name, type, column, onError } = args as unknown as {
      file: string;
      name: string;
      type: string;
      column?: string[];
      onError?: string;
    };
    const frames = ask('datasets.add-benchmark', { path: resolve(file), name, type, columns: column, onError });
    await show(frames, view(''), args['json'] as boolean);
  },
};

const removeBenchmark: CommandModule = {
  command: 'remove-benchmark <name> [number]',
  describe: 'Delete a benchmark, or one version of it; datasets restore --benchmarks undoes it',
  builder: (yargs) =>
    yargs
      .positional('name', { type: 'string', demandOption: true })
      .positional('number', { type: 'number', describe: 'Number of the version; default: all versions' }),
  handler: async (args) => {
    const { name, number: version } = args as unknown as { name: string; number?: number };
    await show(ask('datasets.remove-benchmark', { name, version }), view(''), args['json'] as boolean);
  },
};

/** `anneal datasets list|restore|add-benchmark|remove-benchmark` */
export const datasetCommands: CommandModule = {
  command: 'datasets <command>',
  describe: 'List and restore datasets, and manage benchmarks',
  builder: (yargs) =>
    yargs
      .command(list)
      .command(restore)
      .command(addBenchmark)
      .command(removeBenchmark)
      .example([
        ['npx $0 datasets list --deleted', 'List what can be restored'],
        ['npx $0 datasets restore tickets 2', 'Restore version 2 of the dataset "tickets"'],
        ['npx $0 datasets add-benchmark examples/support-tickets.jsonl tickets', 'Add a benchmark'],
      ])
      .demandCommand(1),
  handler: () => {},
};
