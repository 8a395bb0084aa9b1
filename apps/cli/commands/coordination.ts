import type { CommandModule } from 'yargs';
import { compose } from '#apps/composition/compose.js';
import { LOST_WITH_COORDINATION } from '#apps/composition/coordination-of-log.js';
import { agreedSettings, YES } from '../agreement.js';

const replace: CommandModule = {
  command: 'replace',
  describe: 'Continue without passwords and sessions after coordination was lost; stop the system first',
  builder: (yargs) => yargs.option('yes', YES),
  handler: async (args) => {
    const settings = await agreedSettings(
      args['yes'] as boolean,
      () => `This goes on with coordination as it is. What it lacks is lost: ${LOST_WITH_COORDINATION}.`,
    );
    await (await compose(settings, { replaceCoordination: true })).close();
    console.log('Done. Start the system.');
  },
};

/** `anneal coordination replace` */
export const coordinationCommands: CommandModule = {
  command: 'coordination <command>',
  describe: 'Replace the store of passwords and sessions, when it is lost',
  builder: (yargs) =>
    yargs
      .command(replace)
      .example('npx $0 coordination replace', 'Continue without what is lost, after a question')
      .demandCommand(1),
  handler: () => {},
};
