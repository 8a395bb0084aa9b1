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
 * Installs the clients for Python, once on each machine for each lock, in an environment of their own.
 * @returns the path of its Python @throws InstallError when there is no Python of 3.11 or later, or no registry
 */
export async function pythonClients(): Promise<string> {
  const facts = JSON.stringify([await readFile(LOCK, 'utf8'), process.platform, process.arch]);
  const key = `python-clients-${createHash('sha256').update(facts).digest('hex').slice(0, 12)}`;
  const folder = await cached(serversCache(), key, async (path) => {
    try {
      await run('python3', ['-m', 'venv', path]);
      const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:'];
      await run(join(path, 'bin', 'python'), [...pip, '-r', LOCK]);
    } catch (cause) {
      throw new InstallError('the clients for Python cannot be installed here', { cause });
    }
  });
  return join(folder, 'bin', 'python');
}

/** The result of a function of `calls.py`. */
export async function calledBy(python: string, name: string, url: string, key: string): Promise<unknown> {
  const environment = { PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '*' };
  return JSON.parse(await run(python, [join(SOURCES, 'calls.py'), name, url, key], { environment }));
}
