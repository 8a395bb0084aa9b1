import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { run } from '#test/servers/tools.js';

// Only TypeScript is built into dist/.
const SOURCES = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'clients', 'python');
const LOCK = join(SOURCES, 'requirements.lock');
const GATEWAYS_LOCK = join(SOURCES, 'gateways.lock');

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

/** LiteLLM and Instructor, whose packages need older clients. */
export const pythonGateways = (): Promise<string> => pythonWith('python-gateways', GATEWAYS_LOCK);

/** Programs whose functions are called. */
type Program = 'calls.py' | 'gateways.py';

/** The result of a function of a program. @param more of the environment */
export async function calledBy(
  { python, program = 'calls.py' }: { readonly python: string; readonly program?: Program },
  name: string,
  { url, key }: { readonly url: string; readonly key: string },
  more: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const environment = { PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '*', ...OFFLINE, ...more };
  return JSON.parse(await run(python, [join(SOURCES, program), name, url, key], { environment }));
}

/** LiteLLM has a copy of the prices that it would fetch. */
export const OFFLINE = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_TELEMETRY: 'False' };
