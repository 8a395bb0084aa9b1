import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { run } from '#test/servers/tools.js';

const PACKAGES = ['datasets==5.2.0', 'spacy==3.8.18'];
const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'test', 'exports', 'read.py');

/**
 * Installs the libraries that read exports, once on each machine for each set of versions, in an environment of their own.
 * @returns the path of its Python @throws InstallError when there is no Python, or no registry
 */
export async function pythonReaders(): Promise<string> {
  const facts = JSON.stringify([PACKAGES, process.platform, process.arch]);
  const key = `python-readers-${createHash('sha256').update(facts).digest('hex').slice(0, 16)}`;
  const folder = await cached(serversCache(), key, async (path) => {
    try {
      await run('python3', ['-m', 'venv', path]);
      const pip = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:'];
      await run(join(path, 'bin', 'python'), [...pip, ...PACKAGES]);
    } catch (cause) {
      throw new InstallError('the Python libraries that read exports cannot be installed here', { cause });
    }
  });
  return join(folder, 'bin', 'python');
}

/** Contents of an exported file as a library reads them. */
export async function readBy(python: string, library: 'datasets' | 'spacy', file: string): Promise<unknown> {
  const environment = { HF_HUB_OFFLINE: '1', HF_HOME: `${file}.home`, PYTHONDONTWRITEBYTECODE: '1' };
  const printed = await run(python, [PROGRAM, library, file], { environment });
  return JSON.parse(printed.trim().split('\n').at(-1)!);
}
