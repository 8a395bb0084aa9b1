import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type RunOptions } from '#test/servers/tools.js';

/** Runs a checker of Python, such as ruff. @returns what it reports; empty if nothing is wrong */
export async function reportedBy(
  python: string,
  tool: string,
  args: readonly string[],
  options: RunOptions,
): Promise<string> {
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

/** Runs the tests in a folder. @throws Error when they cannot be run */
export async function runPytest(python: string, tests: string, options: RunOptions): Promise<PytestResult> {
  const folder = await mkdtemp(join(tmpdir(), 'anneal-pytest-'));
  const report = join(folder, 'report.xml');
  const args = [
    '-m',
    'pytest',
    '-q',
    tests,
    '-p',
    'no:cacheprovider',
    `--basetemp=${join(folder, 'work')}`,
    `--junitxml=${report}`,
  ];
  const environment = { PYTHONDONTWRITEBYTECODE: '1', ...options.environment };
  try {
    await run(python, args, { ...options, environment }).catch((error: { code?: unknown }) => {
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
