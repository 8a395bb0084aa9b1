import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import type { JsonObject } from '#domain/json.js';
import { modelOperations } from '#apps/operator/models.js';
import { readSettings } from '#settings/index.js';
import { cell, show, type View } from '../output.js';

const view: View = {
  columns: ['name', 'licence', 'MB', 'from', 'folder'],
  row: ({ name, licence, bytes, repository, folder }) => [
    cell(name),
    cell(licence),
    cell(Math.round((bytes as number) / 1e6)),
    cell(repository),
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
  describe: 'The known packs, and which are here',
  handler: (args) => run('models.list', {}, view, args['json'] as boolean),
};

const pull: CommandModule = {
  command: 'pull <name>',
  describe: 'Fetch a pack from the hub; goes on where it was interrupted',
  builder: (yargs) => yargs.positional('name', { type: 'string', demandOption: true }),
  handler: (args) => run('models.pull', { name: args['name'] as string }, view, args['json'] as boolean),
};

const importFolder: CommandModule = {
  command: 'import <folder>',
  describe: 'Copy a pack from a folder with its model.onnx and tokenizer.json',
  builder: (yargs) => yargs.positional('folder', { type: 'string', demandOption: true }),
  handler: (args) => run('models.import', { folder: resolve(args['folder'] as string) }, view, args['json'] as boolean),
};

const remove: CommandModule = {
  command: 'remove <name>',
  describe: 'Delete a pack from the data folder',
  builder: (yargs) => yargs.positional('name', { type: 'string', demandOption: true }),
  handler: (args) => run('models.remove', { name: args['name'] as string }, removedView, args['json'] as boolean),
};

/** `anneal models list|pull|import|remove` */
export const modelCommands: CommandModule = {
  command: 'models <command>',
  describe: 'Pretrained encoder packs',
  builder: (yargs) => yargs.command(list).command(pull).command(importFolder).command(remove).demandCommand(1),
  handler: () => {},
};
