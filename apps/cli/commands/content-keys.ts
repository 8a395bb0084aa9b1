import type { CommandModule } from 'yargs';
import { compose } from '#apps/composition/compose.js';
import { LOST_WITH_KEYS } from '#apps/composition/keys-of-log.js';
import { agreedSettings, YES } from '../agreement.js';

const replace: CommandModule = {
  command: 'replace',
  describe: 'Go on without the keys of contents, which were lost; the system must be stopped',
  builder: (yargs) => yargs.option('yes', YES),
  handler: async (args) => {
    const settings = await agreedSettings(
      args['yes'] as boolean,
      () =>
        `This binds the event log to the keys that are there, or to new ones. Where it was encrypted with others, these end for ever: ${LOST_WITH_KEYS}.`,
    );
    await (await compose(settings, { replaceKeys: true })).close();
    console.log('Done. Start the system, and add people again whose addresses are missing.');
  },
};

/** `anneal content-keys replace` */
export const contentKeyCommands: CommandModule = {
  command: 'content-keys <command>',
  describe: 'The keys that contents of calls are encrypted with',
  builder: (yargs) => yargs.command(replace).demandCommand(1),
  handler: () => {},
};
