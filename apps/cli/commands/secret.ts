import { createInterface } from 'node:readline/promises';
import type { CommandModule } from 'yargs';
import { compose } from '#apps/composition/compose.js';
import { LOST_WITH_SECRET } from '#apps/composition/secret-of-log.js';
import { OperationError } from '#apps/operator/operation.js';
import { readSettings } from '#settings/index.js';
import { isShared, requireSystem } from '../open.js';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const replace: CommandModule = {
  command: 'replace',
  describe: "Go on without the log's own secret, which was lost; the system must be stopped",
  builder: (yargs) =>
    yargs.option('yes', { type: 'boolean', default: false, describe: 'Do not ask; for scripts and containers' }),
  handler: async (args) => {
    const settings = readSettings(process.env);
    if (!isShared(settings)) requireSystem(settings);
    console.log(
      `This binds the event log to ${settings.secretKey === null ? `secret.key in ${settings.dataDir} (made if missing)` : 'ANNEAL_SECRET_KEY'}.\n` +
        `Where the log was made with another secret, these end for ever: ${LOST_WITH_SECRET}.`,
    );
    if (!args['yes'] && !(await agreed())) throw new OperationError('nothing was changed');
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
  describe: 'Move what the previous secret still wraps to the one in force; then ANNEAL_SECRET_KEY_PREVIOUS may go',
  handler: async (args) => {
    await show(ask('secret.rotate', {}), rotatedView, args['json'] as boolean);
  },
};

/** Refuses without a terminal, where nobody can answer. */
async function agreed(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new OperationError('nobody can be asked here; give --yes to go on');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Go on? Type yes: ');
  terminal.close();
  return answer.trim() === 'yes';
}

/** `anneal secret replace|rotate` */
export const secretCommands: CommandModule = {
  command: 'secret <command>',
  describe: 'The secret that keys and sessions are derived from',
  builder: (yargs) => yargs.command(replace).command(rotate).demandCommand(1),
  handler: () => {},
};
