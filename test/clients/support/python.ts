import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { run } from '#test/servers/tools.js';

// Only TypeScript is built into dist/.
const SOURCES = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'clients', 'python');
const LOCK = join(SOURCES, 'requirements.lock');

/**
 * An environment of its own with the packages of a lock, made once on each machine for each lock.
 * @returns the path of its Python @throws InstallError when there is no Python of 3.11 or later, or no registry
 */
export async function pythonWith(name: string, lock: string): Promise<string> {
  const facts = JSON.stringify([await readFile(lock, 'utf8'), process.platform, process.arch]);
  const key = `${name}-${createHash('sha256').update(facts).digest('hex').slice(0, 12)}`;
  const folder = await cached(serversCache(), key, async (path) => {
    try {
      await run('python3', ['-m', 'venv', path]);
      const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:'];
      await run(join(path, 'bin', 'python'), [...pip, '-r', lock]);
    } catch (cause) {
      throw new InstallError(`${name} cannot be installed here`, { cause });
    }
  });
  return join(folder, 'bin', 'python');
}

/** The clients for Python. */
export const pythonClients = (): Promise<string> => pythonWith('python-clients', LOCK);

/** The result of a function of `calls.py`. */
export async function calledBy(python: string, name: string, url: string, key: string): Promise<unknown> {
  const environment = { PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '*' };
  return JSON.parse(await run(python, [join(SOURCES, 'calls.py'), name, url, key], { environment }));
}
