import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import type { JsonObject } from '#domain/json.js';
import { locationsOf } from '#apps/composition/locations.js';
import { verifyAudit } from '#apps/operator/audit.js';
import { readSettings, Settings } from '#settings/index.js';
import { cell, show, type View } from '../output.js';

const view: View = {
  columns: ['position', 'problem', 'what'],
  row: (frame) =>
    frame['problem'] === undefined
      ? ['', frame['verified'] === true ? 'verified' : 'NOT VERIFIED', summary(frame)]
      : [cell(frame['position']).replace(/^0+(?=\d)/, ''), cell(frame['problem']), cell(frame['what'])],
  empty: 'The verification was interrupted.',
};

const summary = ({ size, same, erased, uncovered, objects, problems, trusted }: JsonObject): string =>
  [
    `${cell(problems)} problems`,
    `${cell(same)} of ${cell(size)} events are as they were signed`,
    `${cell(erased)} were erased as the log says`,
    `${cell(uncovered)} are newer than the checkpoint`,
    `${cell(objects)} objects are whole`,
    ...(trusted === true ? [] : ['the public key is the one that the log itself names: compare it with yours']),
  ].join('; ');

const verify: CommandModule = {
  command: 'verify [folder]',
  describe:
    'Verify log, tree and objects by the public key alone; the exit status is 1 if anything is not as it was signed',
  builder: (yargs) =>
    yargs
      .positional('folder', {
        type: 'string',
        describe: 'A copy of a data folder; default: the system of the settings',
      })
      .options({
        key: { type: 'string', array: true, default: [], describe: 'Public key (NAME+ID+KEY) that you trust' },
        checkpoint: { type: 'string', array: true, default: [], describe: 'File with a checkpoint that you kept' },
      }),
  handler: async (args) => {
    const folder = args['folder'] as string | undefined;
    const settings = folder === undefined ? readSettings(process.env) : new Settings({ dataDir: resolve(folder) });
    const kept = { keys: args['key'] as string[], checkpoints: args['checkpoint'] as string[] };
    let verified = false;
    const frames = async function* () {
      for await (const frame of verifyAudit({ ...locationsOf(settings), ...kept })) {
        if ((frame as JsonObject)['verified'] === true) verified = true;
        yield frame;
      }
    };
    await show(frames(), view, args['json'] as boolean);
    if (!verified) process.exitCode = 1;
  },
};

/** `anneal audit verify` */
export const auditCommands: CommandModule = {
  command: 'audit <command>',
  describe: 'Prove that the log is what was written',
  builder: (yargs) => yargs.command(verify).demandCommand(1),
  handler: () => {},
};
