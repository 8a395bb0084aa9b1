import type { CommandModule } from 'yargs';
import { compose } from '#apps/composition/compose.js';
import { agreedSettings, YES } from '../agreement.js';

const replace: CommandModule = {
  command: 'replace',
  describe: 'Continue without the files of datasets and models after they were lost; stop the system first',
  builder: (yargs) => yargs.option('yes', YES),
  handler: async (args) => {
    const settings = await agreedSettings(
      args['yes'] as boolean,
      () =>
        'This goes on with the object store as it is. What it lacks is lost: files of datasets, checkpoints, models, large contents of ' +
        'calls, archived events, and the audit tree (npx anneal audit restart begins another); the rest of the log stays.',
    );
    await (await compose(settings, { replaceObjects: true })).close();
    console.log('Done. Start the system.');
  },
};

/** `anneal objects replace` */
export const objectCommands: CommandModule = {
  command: 'objects <command>',
  describe: 'Replace the files of datasets and models, when they are lost',
  builder: (yargs) =>
    yargs
      .command(replace)
      .example('npx $0 objects replace', 'Continue without the files that are lost, after a question')
      .demandCommand(1),
  handler: () => {},
};
