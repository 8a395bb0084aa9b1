import type { CommandModule } from 'yargs';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const linkView: View = {
  columns: ['e-mail', 'signs in once, within a day'],
  row: (made) => ['email', 'signInLink'].map((field) => cell(made[field])),
  empty: '',
};

/** `anneal sign-in-link` */
export const signInLinkCommand: CommandModule = {
  command: 'sign-in-link',
  describe: 'Make a link that signs a user in once, within a day',
  builder: { email: { type: 'string', describe: 'Whom it signs in, by e-mail address; default: the first user' } },
  handler: async (args) => {
    await show(ask('sign-in-link', { email: args['email'] as string | undefined }), linkView, args['json'] as boolean);
  },
};
