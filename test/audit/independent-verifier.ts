import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { find, run } from '#test/servers/tools.js';

// Only TypeScript is built into dist/.
export const AUDIT_PROGRAMS = join(import.meta.dirname, '..', '..', '..', 'test', 'audit', 'python');
/** Each program of others that verifies what Anneal signed or exports, with the Pythons that it runs on. */
const PYTHONS = {
  'aics-tlog': ['python3.12', 'python3.13', 'python3.14', 'python3'],
  'model-signing': ['python3', 'python3.12', 'python3.11', 'python3.10'],
  openlineage: ['python3', 'python3.12', 'python3.11', 'python3.10'],
};

/** Installs a program, once on each machine. @returns the path of its Python @throws InstallError */
export async function independentVerifier(program: keyof typeof PYTHONS): Promise<string> {
  const lock = join(AUDIT_PROGRAMS, `${program}.lock`);
  const digest = createHash('sha256')
    .update(await readFile(lock))
    .digest('hex');
  const folder = await cached(serversCache(), `python-audit-${digest.slice(0, 12)}`, async (path) => {
    const failures: unknown[] = [];
    for (const python of PYTHONS[program])
      try {
        if ((await find(python)) === null) continue;
        await run(python, ['-m', 'venv', '--clear', path]);
        const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:'];
        await run(join(path, 'bin', 'python'), [...pip, '-r', lock]);
        return;
      } catch (error) {
        failures.push(error);
      }
    const message = `${program} cannot be installed here: it needs one of ${PYTHONS[program].join(', ')}, and PyPI`;
    throw new InstallError(message, { cause: failures.at(-1) });
  });
  return join(folder, 'bin', 'python');
}
