import { readdir, readFile } from 'node:fs/promises';
import { kill } from 'node:process';
import { eventually } from './eventually.js';

/**
 * Suspends a process (SIGSTOP) and waits until none of its threads runs: `kill` returns before that, and on a busy machine its threads
 * still answer for some milliseconds. Where there is no `/proc` it does not wait.
 */
export async function suspend(pid: number): Promise<void> {
  kill(pid, 'SIGSTOP');
  if (process.platform === 'linux') await eventually(() => isStopped(pid));
}

async function isStopped(pid: number): Promise<boolean> {
  const tasks = `/proc/${pid}/task`;
  const states = (await readdir(tasks)).map(async (thread) => {
    const stat = await readFile(`${tasks}/${thread}/stat`, 'utf8');
    // `pid (name) state …`: the name may hold parentheses itself.
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  });
  return (await Promise.all(states)).every((state) => state === 'T');
}
