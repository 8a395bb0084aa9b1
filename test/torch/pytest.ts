import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { run } from '#test/servers/tools.js';

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
export async function reportedBy(
  tool: string,
  args: readonly string[],
  python: string,
  tools: string,
): Promise<string> {
  const options = { directory: SOURCES, environment: toolsEnvironment(tools) };
  return run(python, ['-m', tool, ...args], options).then(
    () => '',
    ({ stdout = '', stderr = '', message }: { stdout?: string; stderr?: string; message: string }) =>
      stdout + stderr || message,
  );
}

export interface PytestResult {
  readonly tests: number;
  readonly skipped: number;
  /** A line for each test that failed: its file, its name and why. */
  readonly failures: readonly string[];
}

/** Runs the tests of the Python package with one thread, without those of real weights. @throws Error when they cannot be run */
export async function runPytest(python: string, tools: string): Promise<PytestResult> {
  const folder = await mkdtemp(join(tmpdir(), 'anneal-pytest-'));
  const report = join(folder, 'report.xml');
  const environment = {
    PYTHONPATH: [PYTHON_PACKAGE, TESTS, tools].join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
    OMP_NUM_THREADS: '1',
    ANNEAL_SMOLLM2: '',
  };
  const args = [
    '-m',
    'pytest',
    '-q',
    TESTS,
    '-p',
    'no:cacheprovider',
    `--basetemp=${join(folder, 'work')}`,
    `--junitxml=${report}`,
  ];
  try {
    await run(python, args, { directory: PYTHON_PACKAGE, environment }).catch((error: { code?: unknown }) => {
      // 1: tests failed, which the report names.
      if (error.code !== 1) throw error;
    });
    return resultOf(await readFile(report, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads a report in JUnit's format. */
function resultOf(report: string): PytestResult {
  const [suite = ''] = /<testsuite [^>]*>/.exec(report) ?? [];
  const count = (attribute: string) => Number(new RegExp(` ${attribute}="(\\d+)"`).exec(suite)?.[1]);
  const failed = /<testcase classname="([^"]*)" name="([^"]*)"[^>]*><(?:failure|error) message="([^"]*)"/g;
  const failures = Array.from(report.matchAll(failed), ([, file, test, why]) => `${file} ${test}: ${why}`);
  if (failures.length !== count('failures') + count('errors')) throw new Error(`Unreadable report of pytest: ${suite}`);
  return { tests: count('tests'), skipped: count('skipped'), failures };
}
