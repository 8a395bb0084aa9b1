import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { printable } from '#domain/printable.js';
import { InstallError } from './install-error.js';

const MAX_KEPT_LINES = 12;

/**
 * The lines of a program's output, as they come.
 * @throws InstallError when it cannot be started (`ENOENT` as its cause's code), or fails: with the end of its output
 * @throws the signal's reason once it is aborted; the program is killed
 */
export async function* runTool(
  file: string,
  args: readonly string[],
  { signal, environment = {} }: { readonly signal?: AbortSignal; readonly environment?: NodeJS.ProcessEnv } = {},
): AsyncGenerator<string> {
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  });
  const last: string[] = [];
  const keep = (line: string) => {
    if (line.trim() !== '') last.push(printable(line.trimEnd()));
    if (last.length > MAX_KEPT_LINES) last.shift();
  };
  createInterface({ input: child.stderr }).on('line', keep);
  const closed = new Promise<{ readonly error?: Error; readonly how?: number | NodeJS.Signals | null }>((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('close', (code, killedBy) => resolve({ how: code ?? killedBy }));
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      keep(line);
      yield line;
    }
    const { error, how } = await closed;
    signal?.throwIfAborted();
    if (error) throw new InstallError(`${file} cannot be started: ${error.message}`, { cause: error });
    if (how !== 0) throw new InstallError([`${file} ${args[1] ?? ''} failed (${how})`, ...last].join('\n'));
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
}

/**
 * Runs a program to its end.
 * @returns its output
 * @throws as `runTool`
 */
export const outputOf = async (...run: Parameters<typeof runTool>): Promise<string> =>
  (await Array.fromAsync(runTool(...run))).join('\n');
