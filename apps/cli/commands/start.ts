import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandModule } from 'yargs';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const ROLES = ['api', 'worker', 'gpu-runner'] as const;

/** `npx anneal start`: what `npm start` is in a checkout, for a package that is installed. */
export const startCommand: CommandModule<object, { role: string | undefined }> = {
  command: 'start [role]',
  describe: 'Start the system, or one role of it',
  builder: (yargs) =>
    yargs.positional('role', { choices: ROLES, describe: 'A process of one role; default: all roles in one process' }),
  handler: async ({ role }) => {
    const args = [...flags(), join(ROOT, 'scripts', 'start.mjs'), ...(role === undefined ? [] : [role])];
    // In place of this process, so that signals and a container's first process are the system's own. Windows has no such call.
    if (process.platform !== 'win32') process.execve!(process.execPath, [process.execPath, ...args], process.env);
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    const [status] = (await once(child, 'exit')) as [number | null];
    process.exit(status ?? 1);
  },
};

/** The flags of Node with which `npm start` runs. */
function flags(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}
