import type { CommandModule } from 'yargs';
import type { JsonObject } from '#domain/json.js';
import { keepPrivate } from '#apps/composition/private-folder.js';
import { engineOperations } from '#apps/operator/engines.js';
import { OperationError } from '#apps/operator/operation.js';
import { readSettings } from '#settings/index.js';
import { cell, show, type View } from '../output.js';

const view: View = {
  columns: ['name', 'build', 'python', 'version', 'MB', 'folder'],
  row: ({ name, build, python, versions, bytes, folder }) => [
    cell(name),
    cell(build),
    cell(python),
    cell(versionOf(versions as JsonObject | null)),
    cell(bytes === null ? null : Math.round((bytes as number) / 1e6)),
    cell(folder ?? 'not here'),
  ],
  empty: '',
};

/** Also why the build was chosen. */
const installView: View = {
  ...view,
  columns: [...view.columns, 'because'],
  row: (it) => [...view.row(it), cell(it['because'])],
};

/** Version of the engine's main package. */
const versionOf = (versions: JsonObject | null) =>
  versions?.['vllm'] ?? versions?.['torch'] ?? versions?.['node-llama-cpp'];

const removedView: View = { columns: ['name', 'removed'], row: (it) => [cell(it['name']), 'yes'], empty: '' };

const INTERRUPTED = 'interrupted; nothing half made is left, and what was fetched is not fetched again';

async function run(operation: string, args: JsonObject, shown: View, asJson: boolean): Promise<void> {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => interrupted.abort(new OperationError(INTERRUPTED)));
  const settings = readSettings(process.env);
  // The first start would refuse the folder otherwise, after gigabytes were written into it.
  if (operation === 'engines.install') await keepPrivate(settings.dataDir);
  await show(engineOperations(settings)[operation]!(args, interrupted.signal), shown, asJson);
}

const name = { type: 'string', demandOption: true, describe: 'The engine: torch, llama or vllm' } as const;

const list: CommandModule = {
  command: 'list',
  describe: 'List the optional engines, and which are installed',
  handler: (args) => run('engines.list', {}, view, args['json'] as boolean),
};

const install: CommandModule = {
  command: 'install <name>',
  describe:
    'Install torch (a Python environment of 5.5 GB on Linux, 4.6 GB without a GPU), llama (npm packages of 105 MB) or vllm (a Python environment, for a GPU)',
  builder: (yargs) =>
    yargs
      .positional('name', name)
      .option('python', {
        type: 'string',
        default: 'python3',
        describe: 'The Python command that installs torch or vllm',
      })
      .option('cuda', { type: 'boolean', describe: 'Install torch for an NVIDIA GPU, even if none is found' })
      .option('cpu', {
        type: 'boolean',
        conflicts: 'cuda',
        describe: 'Install torch for the CPU, even if a GPU is found',
      }),
  handler: ({ name: engine, python, cuda, cpu, json }) => {
    const build = cuda ? 'cuda' : cpu ? 'cpu' : null;
    const asked = { name: engine as string, python: python as string, build };
    return run('engines.install', asked, installView, json as boolean);
  },
};

const remove: CommandModule = {
  command: 'remove <name>',
  describe: 'Delete an engine from the data folder',
  builder: (yargs) => yargs.positional('name', name),
  handler: (args) => run('engines.remove', { name: args['name'] as string }, removedView, args['json'] as boolean),
};

/** `anneal engine install|list|remove` */
export const engineCommands: CommandModule = {
  command: 'engine <command>',
  describe: 'Install and remove the optional engines: torch, llama, vllm',
  builder: (yargs) =>
    yargs
      .command(install)
      .command(list)
      .command(remove)
      .example('npx $0 engine install llama', 'Install the engine that serves GGUF files')
      .demandCommand(1),
  handler: () => {},
};
