import { spawnSync } from 'node:child_process';

/** Of a command that asks a KMS. */
const TIMEOUT_MS = 30_000;
const MAX_BYTES = 64 * 1024;
const MAX_COMPLAINT = 200;

/**
 * What a command prints, without blanks around it. No shell takes part: the words of the command are separated by blanks, or are a list in
 * JSON, and it gets the environment of this process.
 * @throws CommandError why there is nothing: in one line, without what it printed
 */
export function printedBy(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  timeoutMs = TIMEOUT_MS,
): string {
  const [program, ...args] = wordsOf(command);
  const { stdout, stderr, status, error } = spawnSync(program!, args, {
    ...{ env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES },
    ...{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  });
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ETIMEDOUT') throw new CommandError(`has not ended within ${timeoutMs / 1_000} s`);
  if (error) throw new CommandError(`cannot be run (${code}); give a program and its arguments, without a shell`);
  if (status !== 0) {
    const complaint = stderr.trim().replaceAll(/\s+/g, ' ').slice(-MAX_COMPLAINT);
    throw new CommandError(`ended with ${status ?? 'a signal'}${complaint && `: ${complaint}`}`);
  }
  const printed = stdout.trim();
  if (printed === '') throw new CommandError('printed nothing; it must print the value');
  return printed;
}

function wordsOf(command: string): readonly string[] {
  if (!command.startsWith('[')) return command.split(/\s+/);
  try {
    const words: unknown = JSON.parse(command);
    if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string')) return words;
  } catch {
    // Refused below, as a list of something else is.
  }
  throw new CommandError('is no list of words in JSON; give ["program", "argument"], or words between blanks');
}

/** A command that gave no value. Its message follows the name of the setting. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
