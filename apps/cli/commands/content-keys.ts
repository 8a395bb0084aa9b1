import type { CommandModule } from 'yargs';
import { compose } from '#apps/composition/compose.js';
import { LOST_WITH_KEYS } from '#apps/composition/keys-of-log.js';
import { agreedSettings, YES } from '../agreement.js';

const replace: CommandModule = {
  command: 'replace',
  describe: 'Continue without the keys of contents after they were lost; stop the system first',
  builder: (yargs) => yargs.option('yes', YES),
  handler: async (args) => {
    const settings = await agreedSettings(
      args['yes'] as boolean,
      () =>
        `This binds the event log to the keys that are there, or to new ones. What was encrypted with other keys is lost for ever: ${LOST_WITH_KEYS}.`,
    );
    await (await compose(settings, { replaceKeys: true })).close();
    console.log('Done. Start the system, and add the people whose addresses are missing again.');
  },
};

/** `anneal content-keys replace` */
export const contentKeyCommands: CommandModule = {
  command: 'content-keys <command>',
  describe: 'Replace the keys that encrypt the contents of calls, when they are lost',
  builder: (yargs) =>
    yargs
      .command(replace)
      .example('npx $0 content-keys replace', 'Continue without the keys that are lost, after a question')
      .demandCommand(1),
  handler: () => {},
};
