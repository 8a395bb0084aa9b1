import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Spawned {
  /** The first line of its output. */
  readonly line: string;
  readonly pid: number;
  /** Resolves when it has ended, to the last line of its output. */
  end(): Promise<string>;
}

/** Whether processes can be pinned to one core here. */
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
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const first = Promise.withResolvers<string>();
  let last = '';
  lines.on('line', (line) => first.resolve((last = line)));
  lines.on('close', () => first.reject(new Error(`${file} ended before it was at work`)));
  return {
    line: await first.promise,
    pid: child.pid!,
    async end() {
      child.kill('SIGTERM');
      await exited;
      return last;
    },
  };
}

/** CPU seconds of a process. */
export interface Cpu {
  readonly all: number;
  /** CPU of its threads by name, if their names differ. */
  readonly threads: ReadonlyMap<string, number>;
}

/** Memory in MB: resident now, and at most. */
export function memoryOf(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
  return { now: of('VmRSS'), most: of('VmHWM') };
}

export function cpuOf(pid: number): Cpu {
  const threads = new Map<string, number>();
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const path = `/proc/${pid}/task/${tid}`;
    const name = Number(tid) === pid ? 'main' : readFileSync(`${path}/comm`, 'utf8').trim();
    threads.set(name, (threads.get(name) ?? 0) + secondsIn(`${path}/stat`));
  }
  return { all: secondsIn(`/proc/${pid}/stat`), threads };
}

const TICKS_PER_SECOND = 100;

/** User and system time (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). */
function secondsIn(path: string): number {
  const stat = readFileSync(path, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
