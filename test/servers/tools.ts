import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A server cannot be built here. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing';
  constructor(tool: string) {
    super(`${tool} is not installed`);
  }
}

/** Path of a program; null if it is not installed. */
export async function find(tool: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, tool);
    const there = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return path;
  }
  return null;
}

/** @throws ToolMissing naming the first that is not installed */
export async function need(tools: readonly string[]): Promise<void> {
  for (const tool of tools) if ((await find(tool)) === null) throw new ToolMissing(tool);
}

export interface RunOptions {
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a tool to its end. @returns what it wrote to its output @throws Error with what it said */
export async function run(tool: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(tool, args, {
    ...(options.directory !== undefined && { cwd: options.directory }),
    env: { ...process.env, ...options.environment },
    maxBuffer: 64 * 1024 ** 2,
    timeout: 20 * 60_000,
  });
  return stdout;
}

/** Builds a Go program of the module proxy into a folder, without a C compiler. */
export async function goInstall(program: string, folder: string): Promise<void> {
  await run('go', ['install', program], { environment: { GOBIN: folder, CGO_ENABLED: '0' } });
}
