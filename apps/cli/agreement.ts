import { createInterface } from 'node:readline/promises';
import type { Options } from 'yargs';
import { OperationError } from '#apps/operator/operation.js';
import { readSettings, type Settings } from '#settings/index.js';
import { isShared, requireSystem } from './open.js';

/** `--yes` of a command that ends something permanently. */
export const YES: Options = {
  type: 'boolean',
  default: false,
  describe: 'Do not ask for confirmation; for scripts and containers',
};

/**
 * States what will end, and asks for confirmation.
 * @throws OperationError when the system is missing, the answer is other than yes, or no terminal can answer
 */
export async function agreedSettings(yes: boolean, warning: (settings: Settings) => string): Promise<Settings> {
  const settings = readSettings(process.env);
  if (!isShared(settings)) requireSystem(settings);
  console.log(warning(settings));
  if (!yes && !(await agreed())) throw new OperationError('nothing was changed');
  return settings;
}

async function agreed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new OperationError(
      'this command asks for confirmation, and standard input is no terminal: give --yes to confirm',
    );
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Continue? Type yes: ');
  terminal.close();
  return answer.trim() === 'yes';
}
