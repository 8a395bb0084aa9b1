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
  describe: 'The known packs, and which are here; imported models. With --named: the names that models are called by',
  builder: (yargs) =>
    yargs.options({ named: { type: 'boolean', describe: 'Needs an API key in KEY' }, url: urlOption }),
  handler: (args) => (args['named'] ? listNamed(args) : run('models.list', {}, view, args['json'] as boolean)),
};

const pull: CommandModule = {
  command: 'pull <name>',
  describe: 'Fetch a pack, or a decoder or encoder, from the hub; goes on where it was interrupted',
  builder: (yargs) =>
    yargs
      .positional('name', { type: 'string', demandOption: true, describe: "A pack's name, or org/name[@revision]" })
      .option('id', { type: 'string', describe: 'The id that the model gets in the catalog; org/name by default' })
      .option('licence', { type: 'string', describe: "The model's licence, for people; as its card has it by default" })
      .option('file', { type: 'string', describe: 'The GGUF file to take, where the repository has several' }),
  handler: (args) => {
    const [id, licence, file] = ['id', 'licence', 'file'].map((option) => (args[option] as string | undefined) ?? null);
    const asked = { name: args['name'] as string, id: id!, licence: licence!, file: file! };
    return run('models.pull', asked, view, args['json'] as boolean);
  },
};

const importFolder: CommandModule = {
  command: 'import <folder>',
  describe:
    'Copy a pack (model.onnx, tokenizer.json), or with --id a decoder or encoder (hub format or GGUF), from a folder',
  builder: (yargs) =>
    yargs
      .positional('folder', { type: 'string', demandOption: true })
      .option('id', { type: 'string', describe: 'No pack: the id that the model gets in the catalog, org/name' })
      .option('licence', { type: 'string', implies: 'id', describe: "The model's licence, for people" }),
  handler: (args) => {
    const [id, licence] = ['id', 'licence'].map((option) => (args[option] as string | undefined) ?? null);
    const folder = resolve(args['folder'] as string);
    return run('models.import', { folder, id: id!, licence: licence! }, view, args['json'] as boolean);
  },
};

const remove: CommandModule = {
  command: 'remove <name>',
  describe: 'Delete a pack or an imported model from the data folder',
  builder: (yargs) => yargs.positional('name', { type: 'string', demandOption: true }),
  handler: (args) => run('models.remove', { name: args['name'] as string }, removedView, args['json'] as boolean),
};

const exportView: View = {
  columns: ['job', 'as', 'MB', 'folder'],
  row: ({ job, as, bytes, folder }) => [cell(job), cell(as), cell(Math.round((bytes as number) / 1e6)), cell(folder)],
  empty: '',
};

const exportJob: CommandModule = {
  command: 'export <job>',
  describe: 'Write a trained model into a new folder that other programs load, with its model card',
  builder: (yargs) =>
    yargs
      .positional('job', { type: 'string', demandOption: true, describe: 'The id of its training job' })
      .option('as', { choices: EXPORT_FORMATS, demandOption: true, describe: 'The format' })
      .option('out', { type: 'string', demandOption: true, describe: 'The folder, which must not exist yet' }),
  handler: async (args) => {
    const { job, as } = args as unknown as { job: string; as: string };
    const out = resolve(args['out'] as string);
    await show(ask('models.export', { job, as, out }), exportView, args['json'] as boolean);
  },
};

/** `anneal models list|pull|import|remove|export`, and of named models `show|promote|rollback|improve` */
export const modelCommands: CommandModule = {
  command: 'models <command>',
  describe: 'Pretrained encoder packs, imported models, exports of trained models, and models by name',
  builder: (yargs) =>
    [list, pull, importFolder, remove, exportJob, ...namedModelCommands]
      .reduce((all, each) => all.command(each), yargs)
      .demandCommand(1),
  handler: () => {},
};
