import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { run } from '#test/servers/tools.js';
import { torchForTests } from '#test/torch/environment.js';
import { FIXTURES, type Answer, type Kind } from './tiny.js';

/** The package, and what it needs in other versions than the torch engine. */
const PACKAGES = [
  ...['gliner==0.2.29', 'transformers==5.16.1', 'huggingface_hub==1.33.0', 'sentencepiece==0.2.3'],
  ...['httpx==0.28.1', 'httpcore==1.0.9'],
];

/**
 * Installs the Python package `gliner` beside the packages of the torch engine, once on each machine.
 * @returns the path of its Python @throws InstallError when there is no Python, or no registry
 */
export async function glinerPython(): Promise<string> {
  const torch = await torchForTests();
  const facts = JSON.stringify([PACKAGES, torch.python]);
  const key = `python-gliner-${createHash('sha256').update(facts).digest('hex').slice(0, 16)}`;
  const purelib = async (python: string) =>
    (await run(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])).trim();
  const folder = await cached(serversCache(), key, async (path) => {
    try {
      const python = join(path, 'bin', 'python');
      await run(torch.python, ['-m', 'venv', path]);
      await writeFile(join(await purelib(python), 'torch.pth'), await purelib(torch.python));
      await run(python, ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '--no-deps', ...PACKAGES]);
    } catch (cause) {
      throw new InstallError('the Python package gliner cannot be installed here', { cause });
    }
  });
  return join(folder, 'bin', 'python');
}

/** Writes a tiny random model by the package's own writer. */
export const writeByPackage = (python: string, folder: string, kind: Kind): Promise<unknown> =>
  tiny(python, ['write', folder, kind]);

/** What the package finds with the graph of a folder, by call. */
export async function answersOfPackage(
  python: string,
  folder: string,
  calls: readonly Omit<Answer, 'hits'>[],
): Promise<readonly Answer['hits'][]> {
  const file = join(folder, '..', 'calls.json');
  await writeFile(file, JSON.stringify(calls));
  const printed = await tiny(python, ['answer', folder, file]);
  return JSON.parse(printed.trim().split('\n').at(-1)!) as readonly Answer['hits'][];
}

const tiny = (python: string, args: readonly string[]): Promise<string> =>
  run(python, [join(FIXTURES, 'tiny.py'), ...args], {
    environment: { HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' },
  });
