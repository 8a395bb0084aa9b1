import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs a program of ours to its end. @param through a command that runs the rest of its arguments, such as nsenter */
export async function runProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  through: readonly string[] = [],
) {
  const [command, ...rest] = [...through, process.execPath, '--disable-warning=ExperimentalWarning', file, ...args];
  const child = spawn(command!, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await exited, out, err };
}

/** Parses the output of `--json`: one value per line. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
export const jsonLines = (out: string): any[] =>
  out
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Operators' mistakes, and the one line with which each is answered. */
export const OPERATOR_SLIPS: readonly (readonly [readonly string[], RegExp])[] = [
  [['key', 'revoke', 'none'], /no API key none/],
  [['events', 'replay', 'job-none'], /no stream job-none/],
  [['projections', 'rebuild', 'none'], /no projection "none".*api-keys/],
  [['key', 'create', 'x', '--email', 'nobody@example.org'], /no user nobody@example.org/],
  [['dance'], /Unknown|See: anneal/],
];
