import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Spawned {
  /** What it said first. */
  readonly line: string;
  readonly pid: number;
  end(): Promise<void>;
}

/** Whether processes can be kept to one core here. */
export const canPin = existsSync('/usr/bin/taskset');

/** Starts a Node program and waits until it says something. @param core to which it is kept, where that can be */
export async function start(
  file: string,
  args: readonly string[],
  core: number | null = null,
  flags: readonly string[] = [],
): Promise<Spawned> {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', ...flags, file, ...args];
  const [command, ...rest] = core !== null && canPin ? ['taskset', '-c', String(core), ...node] : node;
  const child = spawn(command!, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout.resume();
    return {
      line,
      pid: child.pid!,
      end: () => {
        child.kill('SIGTERM');
        return exited;
      },
    };
  }
  throw new Error(`${file} ended before it was at work`);
}

/** CPU seconds of a process: of all its threads, and of the one that serves. */
export function cpuOf(pid: number): { readonly all: number; readonly main: number } {
  return { all: secondsIn(`/proc/${pid}/stat`), main: secondsIn(`/proc/${pid}/task/${pid}/stat`) };
}

const TICKS_PER_SECOND = 100;

/** User and system time (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). */
function secondsIn(path: string): number {
  const stat = readFileSync(path, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
