import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import type { CommandModule } from 'yargs';
import { OperationError } from '#apps/operator/operation.js';
import { readSettings, type Settings } from '#settings/index.js';
import { migrate } from '../migration.js';
import { cell, follow, type View } from '../output.js';

const view: Pick<View, 'row'> = {
  row: ({ step, events, objects, bytes, coordination, keys, hasTree }) =>
    step === 'plan'
      ? [
          `${cell(events)} events, ${cell(objects)} objects (${cell(bytes)} bytes). No process may run on either side until all is copied: that is the downtime, with the time that read models take to be built at the first start.`,
          ...(hasTree === true
            ? ['Proofs of the audit tree stay with the source; a new tree names its signed head.']
            : []),
          'Positions are new ones; streams, revisions and ids stay.',
        ]
      : [
          `Moved and compared: ${cell(events)} events, ${cell(objects)} objects (${cell(bytes)} bytes), ${cell(coordination)} entries of coordination, ${cell(keys)} keys. Start the target; the source is as it was.`,
        ],
};

/** `npx anneal migrate`: the system of the settings goes to the stores that a file of settings names. */
export const migrateCommand: CommandModule = {
  command: 'migrate <target>',
  describe: 'Copy the stopped system to other stores: from a folder to servers, or back',
  builder: (yargs) =>
    yargs
      .positional('target', { type: 'string', describe: 'A file with the settings of the target, a NAME=value a line' })
      .option('dry-run', { type: 'boolean', default: false, describe: 'Only say what there is to copy' })
      .example('$0 migrate servers.env', 'Move from the data folder to the servers that servers.env names'),
  handler: async (args) => {
    const interrupted = new AbortController();
    process.once('SIGINT', () => interrupted.abort());
    process.umask(0o077);
    const moved = migrate({
      from: readSettings(process.env),
      to: await settingsIn(args['target'] as string),
      isDry: args['dryRun'] === true,
      signal: interrupted.signal,
    });
    try {
      await follow(moved, view, args['json'] as boolean);
    } catch (error) {
      if (!interrupted.signal.aborted) throw error;
      throw new OperationError('interrupted: the same command continues');
    }
  },
};

/** Credentials of S3 are taken from the file where the environment has none. @throws OperationError, SettingsError */
async function settingsIn(file: string): Promise<Settings> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new OperationError(`the file of the target's settings cannot be read: ${error.message}`);
  });
  const given = parseEnv(text);
  for (const [name, value] of Object.entries(given)) if (name.startsWith('AWS_')) process.env[name] ??= value;
  return readSettings(given);
}
