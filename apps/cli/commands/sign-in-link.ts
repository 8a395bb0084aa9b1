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
  describe: 'Print a link that signs a user in once, within a day',
  builder: { email: { type: 'string', describe: 'The user, by e-mail address; default: the first user' } },
  handler: async (args) => {
    await show(ask('sign-in-link', { email: args['email'] as string | undefined }), linkView, args['json'] as boolean);
  },
};

const reset: CommandModule = {
  command: 'reset <email>',
  describe: "Remove a user's password, and end all their sessions; print a link to sign in once and set a new password",
  builder: (yargs) => yargs.positional('email', { type: 'string', demandOption: true }),
  handler: async (args) => {
    await show(ask('password.reset', { email: args['email'] as string }), linkView, args['json'] as boolean);
  },
};

/** `anneal password reset` */
export const passwordCommands: CommandModule = {
  command: 'password <command>',
  describe: 'Reset the passwords of users',
  builder: (yargs) =>
    yargs
      .command(reset)
      .example('npx $0 password reset ada@example.com', 'Print a link by which she sets a new password')
      .demandCommand(1),
  handler: () => {},
};
