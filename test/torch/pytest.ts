import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { run } from '#test/servers/tools.js';
import { reportedBy, runPytest, type PytestResult } from '#test/support/pytest.js';

const LOCK = join(PYTHON_PACKAGE, 'requirements-test.lock');
const TESTS = join(PYTHON_PACKAGE, 'tests');
/** Not the copy in dist/, which lacks the settings of the tools. */
const SOURCES = join(import.meta.dirname, '..', '..', '..', 'gpu-runner', 'engines', 'torch', 'python');

/** A folder with pytest, ruff and pyright, which stay out of the engine's environment. @throws InstallError when they cannot be fetched */
export async function pythonTools(python: string): Promise<string> {
  const key = createHash('sha256')
    .update(await readFile(LOCK))
    .digest('hex')
    .slice(0, 12);
  return cached(serversCache(), `torch-test-tools-${key}`, async (folder) => {
    const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:'];
    try {
      await run(python, [...pip, '--target', folder, '-r', LOCK]);
      // Its package fetches the program from npm when it is first run.
      await run(python, ['-m', 'pyright', '--version'], { environment: toolsEnvironment(folder) });
    } catch (cause) {
      throw new InstallError('pytest, ruff and pyright cannot be fetched', { cause });
    }
  });
}

const toolsEnvironment = (tools: string) => ({
  PYTHONPATH: tools,
  PYTHONDONTWRITEBYTECODE: '1',
  PYRIGHT_PYTHON_CACHE_DIR: join(tools, 'pyright-cache'),
  // Otherwise it asks for a newer version on each run.
  PYRIGHT_PYTHON_IGNORE_WARNINGS: '1',
});

/** Runs ruff or pyright on the sources. @returns what it reports; empty if nothing is wrong */
export const reportOnEngine = (tool: string, args: readonly string[], python: string, tools: string): Promise<string> =>
  reportedBy(python, tool, args, { directory: SOURCES, environment: toolsEnvironment(tools) });

/** Runs the tests of the Python package with one thread, without those of real weights. @throws Error when they cannot be run */
export const testEngine = (python: string, tools: string): Promise<PytestResult> =>
  runPytest(python, TESTS, {
    directory: PYTHON_PACKAGE,
    environment: {
      PYTHONPATH: [PYTHON_PACKAGE, TESTS, tools].join(delimiter),
      OMP_NUM_THREADS: '1',
      ANNEAL_SMOLLM2: '',
    },
  });
