import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const view = (empty: string): View => ({
  columns: ['name', 'version', 'type', 'status', 'rows', 'changed', 'error'],
  row: (version) =>
    ['name', 'version', 'type', 'status', 'rows', 'updatedAt', 'error'].map((field) => cell(version[field])),
  empty,
});

const whose = {
  email: { type: 'string', describe: "Whose workspace, by e-mail address; default: the first user's" },
  benchmarks: { type: 'boolean', default: false, describe: 'The benchmarks, which all workspaces see' },
} as const;

interface Whose {
  readonly email?: string;
  readonly benchmarks: boolean;
}

const list: CommandModule = {
  command: 'list',
  describe: 'The versions of datasets, or those that were deleted',
  builder: (yargs) =>
    yargs.options({ ...whose, deleted: { type: 'boolean', default: false, describe: 'Those that were deleted' } }),
  handler: async (args) => {
    const { email, benchmarks, deleted } = args as unknown as Whose & { deleted: boolean };
    const frames = ask('datasets.list', { email, benchmarks, deleted });
    await show(frames, view(deleted ? 'Nothing was deleted.' : 'No datasets.'), args['json'] as boolean);
  },
};

const restore: CommandModule = {
  command: 'restore <name> [number]',
  describe: 'Take back the deletion of a dataset, or of one version',
  builder: (yargs) =>
    yargs
      .positional('name', { type: 'string', demandOption: true })
      .positional('number', { type: 'number', describe: 'Of the version; default: all that were ready' })
      .options(whose),
  handler: async (args) => {
    const { name, number: version, email, benchmarks } = args as unknown as Whose & { name: string; number?: number };
    const frames = ask('datasets.restore', { name, version, email, benchmarks });
    await show(frames, view('Nothing of it was deleted.'), args['json'] as boolean);
  },
};

const addBenchmark: CommandModule = {
  command: 'add-benchmark <file> <name>',
  describe: 'Make a file a benchmark, or the next version of one: all workspaces can read it and evaluate on it',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true, describe: 'JSON, JSONL, CSV or Parquet' })
      .positional('name', { type: 'string', demandOption: true })
      .options({
        type: { choices: ['ner', 'classification', 'custom', 'decoder'], default: 'ner', describe: 'Of its rows' },
        column: { type: 'string', array: true, describe: 'COLUMN=NAME: what a column of ours is called in the file' },
      }),
  handler: async (args) => {
    const { file, name, type, column } = args as unknown as {
      file: string;
      name: string;
      type: string;
      column?: string[];
    };
    const frames = ask('datasets.add-benchmark', { path: resolve(file), name, type, columns: column });
    await show(frames, view(''), args['json'] as boolean);
  },
};

const removeBenchmark: CommandModule = {
  command: 'remove-benchmark <name> [number]',
  describe: 'Delete a benchmark, or one version of it; it can be restored',
  builder: (yargs) =>
    yargs
      .positional('name', { type: 'string', demandOption: true })
      .positional('number', { type: 'number', describe: 'Of the version; default: all' }),
  handler: async (args) => {
    const { name, number: version } = args as unknown as { name: string; number?: number };
    await show(ask('datasets.remove-benchmark', { name, version }), view(''), args['json'] as boolean);
  },
};

/** `anneal datasets list|restore|add-benchmark|remove-benchmark` */
export const datasetCommands: CommandModule = {
  command: 'datasets <command>',
  describe: 'Restore datasets, keep benchmarks',
  builder: (yargs) =>
    yargs.command(list).command(restore).command(addBenchmark).command(removeBenchmark).demandCommand(1),
  handler: () => {},
};
