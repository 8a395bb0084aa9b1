import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import type { JsonObject } from '#domain/json.js';
import { EXPORT_FORMATS } from '#domain/model-export/index.js';
import { modelOperations } from '#apps/operator/models.js';
import { readSettings } from '#settings/index.js';
import { urlOption } from '../api.js';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';
import { listNamed, namedModelCommands } from './named-models.js';

const view: View = {
  columns: ['name', 'licence', 'MB', 'from', 'folder'],
  row: ({ name, licence, bytes, repository, folder }) => [
    cell(name),
    cell(licence),
    cell(Math.round((bytes as number) / 1e6)),
    cell(repository ?? 'a folder'),
    cell(folder ?? 'not here'),
  ],
  empty: '',
};

const removedView: View = { columns: ['name', 'removed'], row: (it) => [cell(it['name']), 'yes'], empty: '' };

async function run(operation: string, args: JsonObject, shown: View, asJson: boolean): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const operations = modelOperations(readSettings(process.env));
  await show(operations[operation]!(args, interrupted.signal), shown, asJson);
}

const list: CommandModule = {
  command: 'list',
  describe:
    'List encoder packs, which of them are in the data folder, and imported models; with --named, list named models instead',
  builder: (yargs) =>
    yargs.options({
      named: { type: 'boolean', describe: 'List the named models; needs an API key in KEY' },
      url: urlOption,
    }),
  handler: (args) => (args['named'] ? listNamed(args) : run('models.list', {}, view, args['json'] as boolean)),
};

const pull: CommandModule = {
  command: 'pull <name>',
  describe: 'Fetch an encoder pack, or a decoder or encoder, from the hub; an interrupted fetch continues',
  builder: (yargs) =>
    yargs
      .positional('name', {
        type: 'string',
        demandOption: true,
        describe: 'The name of a pack, or org/name[@revision] of a model on the hub',
      })
      .option('id', { type: 'string', describe: 'The id of the model in the catalog; default: org/name' })
      .option('licence', {
        type: 'string',
        describe: "The model's licence, which the catalog shows; default: the one in its model card",
      })
      .option('file', { type: 'string', describe: 'The GGUF or ONNX file to fetch, if the repository has several' }),
  handler: (args) => {
    const [id, licence, file] = ['id', 'licence', 'file'].map((option) => (args[option] as string | undefined) ?? null);
    const asked = { name: args['name'] as string, id: id!, licence: licence!, file: file! };
    return run('models.pull', asked, view, args['json'] as boolean);
  },
};

const importFolder: CommandModule = {
  command: 'import <folder>',
  describe:
    'Copy an encoder pack (model.onnx, tokenizer.json) from a folder; with --id, a decoder or encoder (hub format or GGUF)',
  builder: (yargs) =>
    yargs
      .positional('folder', { type: 'string', demandOption: true, describe: 'The folder to copy from' })
      .option('id', {
        type: 'string',
        describe: 'The id of the decoder or encoder in the catalog, org/name; without it, the folder must hold a pack',
      })
      .option('licence', { type: 'string', implies: 'id', describe: "The model's licence, which the catalog shows" }),
  handler: (args) => {
    const [id, licence] = ['id', 'licence'].map((option) => (args[option] as string | undefined) ?? null);
    const folder = resolve(args['folder'] as string);
    return run('models.import', { folder, id: id!, licence: licence! }, view, args['json'] as boolean);
  },
};

const remove: CommandModule = {
  command: 'remove <name>',
  describe: 'Delete a pack or an imported model from the data folder',
  builder: (yargs) =>
    yargs.positional('name', { type: 'string', demandOption: true, describe: 'The name that models list shows' }),
  handler: (args) => run('models.remove', { name: args['name'] as string }, removedView, args['json'] as boolean),
};

const exportView: View = {
  columns: ['job', 'as', 'MB', 'folder'],
  row: ({ job, as, bytes, folder }) => [cell(job), cell(as), cell(Math.round((bytes as number) / 1e6)), cell(folder)],
  empty: '',
};

const exportJob: CommandModule = {
  command: 'export <job>',
  describe: 'Write a trained model, with its model card, into a new folder for other programs',
  builder: (yargs) =>
    yargs
      .positional('job', { type: 'string', demandOption: true, describe: 'The id of the training job' })
      .option('as', { choices: EXPORT_FORMATS, demandOption: true, describe: 'The format' })
      .option('out', { type: 'string', demandOption: true, describe: 'The folder to write, which must not exist yet' }),
  handler: async (args) => {
    const { job, as } = args as unknown as { job: string; as: string };
    const out = resolve(args['out'] as string);
    await show(ask('models.export', { job, as, out }), exportView, args['json'] as boolean);
  },
};

/** `anneal models list|pull|import|remove|export`, and `show|promote|rollback|improve` for named models */
export const modelCommands: CommandModule = {
  command: 'models <command>',
  describe: 'Manage encoder packs, imported models and named models, and export trained models',
  builder: (yargs) =>
    [list, pull, importFolder, remove, exportJob, ...namedModelCommands]
      .reduce((all, each) => all.command(each), yargs)
      .example([
        ['npx $0 models list', 'List encoder packs and imported models'],
        ['npx $0 models pull bge-small-en-v1.5', 'Fetch an encoder pack'],
        ['npx $0 models list --named', 'List the named models'],
      ])
      .demandCommand(1),
  handler: () => {},
};
