import type { CommandModule } from 'yargs';
import { compose } from '#apps/composition/compose.js';
import { LOST_WITH_SECRET } from '#apps/composition/secret-of-log.js';
import { agreedSettings, YES } from '../agreement.js';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const replace: CommandModule = {
  command: 'replace',
  describe: 'Bind the log to a new secret after its own secret was lost; stop the system first',
  builder: (yargs) => yargs.option('yes', YES),
  handler: async (args) => {
    const settings = await agreedSettings(
      args['yes'] as boolean,
      ({ secretKey, dataDir }) =>
        `This binds the event log to ${secretKey === null ? `secret.key in ${dataDir} (made if missing)` : 'ANNEAL_SECRET_KEY'}.\n` +
        `What was made with another secret is lost for ever: ${LOST_WITH_SECRET}.`,
    );
    await (await compose(settings, { replaceSecret: true })).close();
    console.log('Done. Start the system, sign in, and make new API keys.');
  },
};

const rotatedView: View = {
  columns: ['secret in force', 'content keys moved', 'tokens moved'],
  row: (rotated) => ['fingerprint', 'books', 'tokens'].map((field) => cell(rotated[field])),
  empty: '',
};

const rotate: CommandModule = {
  command: 'rotate',
  describe:
    'Encrypt with the secret in force what the previous secret still encrypts; afterwards, ANNEAL_SECRET_KEY_PREVIOUS can be removed',
  handler: async (args) => {
    await show(ask('secret.rotate', {}), rotatedView, args['json'] as boolean);
  },
};

/** `anneal secret replace|rotate` */
export const secretCommands: CommandModule = {
  command: 'secret <command>',
  describe: 'Rotate or replace the secret that API keys and sessions depend on',
  builder: (yargs) =>
    yargs
      .command(replace)
      .command(rotate)
      .example([
        ['npx $0 secret rotate', 'Finish the change to a new ANNEAL_SECRET_KEY'],
        ['npx $0 secret replace', 'Continue with a new secret after the old one was lost, after a question'],
      ])
      .demandCommand(1),
  handler: () => {},
};
