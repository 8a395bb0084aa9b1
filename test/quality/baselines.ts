import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FOLDER, ROOT } from './folders.js';
import { MissingSystemError } from './missing-system.js';

const SCRIPTS = join(ROOT, 'test/quality/baselines');
const REQUIREMENTS = join(SCRIPTS, 'requirements.txt');

let made: Promise<string> | undefined;

/** The command of a baseline's script. @throws MissingSystemError */
export async function baselineCommand(script: string, ...args: readonly string[]): Promise<readonly string[]> {
  made ??= makeEnvironment();
  return [await made, join(SCRIPTS, script), ...args];
}

/** The pinned version of a package. */
export const pinned = (name: string): string =>
  new RegExp(`^${name}==(.+)$`, 'm').exec(readFileSync(REQUIREMENTS, 'utf8'))![1]!;

/**
 * The Python of the baselines' own virtual environment, which is made when the requirements have changed.
 * @throws MissingSystemError where there is no Python, or a package cannot be installed
 */
async function makeEnvironment(): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 8);
  const environment = join(FOLDER, `python-${hash}`);
  const python = join(environment, 'bin/python');
  const complete = join(environment, 'complete');
  if (existsSync(complete)) return python;
  await rm(environment, { recursive: true, force: true });
  console.log(`Making ${environment}, with the packages of ${REQUIREMENTS}`);
  await run('python3', ['-m', 'venv', environment], 'python3 makes no virtual environment');
  const install = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '--no-deps', '-r', REQUIREMENTS];
  await run(python, install, 'the Python packages cannot be installed');
  writeFileSync(complete, '');
  return python;
}

async function run(command: string, args: readonly string[], problem: string): Promise<void> {
  await promisify(execFile)(command, args).catch((error: Error & { readonly stderr?: string }) => {
    const cause = (error.stderr ?? '').trim().split('\n').at(-1) || error.message;
    throw new MissingSystemError(`${problem}: ${cause}`);
  });
}
