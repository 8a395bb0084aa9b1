import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** A line for each failure. */
  readonly failures: readonly string[];
  /** A line for each reason to skip tests. */
  readonly skips: readonly string[];
}

interface Test {
  readonly status: string;
  readonly fullName: string;
  readonly ancestorTitles: readonly string[];
  readonly title: string;
}

/** The part that is read here of what Jest writes with `--json`. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly Test[];
  }[];
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };

export const sum = (some: Counts, more: Counts): Counts => ({
  passed: some.passed + more.passed,
  failed: some.failed + more.failed,
  skipped: some.skipped + more.skipped,
  failures: [...some.failures, ...more.failures],
  skips: [...some.skips, ...more.skips],
});

/** Sums the reports in a folder. */
export const readCounts = (folder: string): Counts =>
  readdirSync(folder)
    .map((name) => countsOf(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Report))
    .reduce(sum, NOTHING);

function countsOf(report: Report): Counts {
  const lines = (linesOf: (result: Report['testResults'][number]) => readonly string[]) =>
    report.testResults.flatMap((result) => linesOf(result).map((line) => `${relative('.', result.name)}: ${line}`));
  const failures = lines(({ status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
    // A file that fails without a failed test could not be loaded, or failed between tests.
    return status === 'failed' && failed.length === 0 ? ['the file itself'] : failed;
  });
  const skips = lines(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'pending').map(reasonOf),
  );
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures,
    skips: [...new Set(skips)],
  };
}

/** Titles give the reason: `clients for Python: skipped: python3 is not installed`. */
const reasonOf = ({ ancestorTitles, title, fullName }: Test): string =>
  [...ancestorTitles, title].find((part) => part.includes('skipped')) ?? fullName;
