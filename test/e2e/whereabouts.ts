import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Client } from '#apps/demo/client.js';

/** For people: where a job that does not go on stands, by its record, its events and lines, the health, and the processes here. */
export async function whereabouts(api: Client, jobId: string): Promise<string> {
  const paths = [
    `/felix/training-jobs/${jobId}`,
    `/felix/training-jobs/${jobId}/logs`,
    `/events?stream=job-${jobId}&limit=1000`,
    '/health',
  ];
  const answers = paths.map(async (path) => {
    const answer = await api.get(path).catch((error: unknown) => error);
    return `${path}: ${inspect(answer, { depth: 8, maxArrayLength: 200, breakLength: 200 })}`;
  });
  return [...(await Promise.all(answers)), ...(await processes())].join('\n');
}

/**
 * The processes of Node on this machine and their threads: `S` sleeps, `R` runs, `D` waits for a disk; CPU in ticks of 10 ms; and
 * where in the kernel it waits. Nothing where there is no /proc.
 */
async function processes(): Promise<readonly string[]> {
  const pids = await readdir('/proc').catch(() => []);
  const told = await Promise.all(pids.filter((name) => /^\d+$/.test(name)).map(processOf));
  return told.filter((text) => text !== null);
}

async function processOf(pid: string): Promise<string | null> {
  try {
    const command = (await readFile(join('/proc', pid, 'cmdline'), 'utf8')).replaceAll('\0', ' ');
    if (!/\bnode\b.*\bdist\b/.test(command)) return null;
    const threads = join('/proc', pid, 'task');
    const lines = (await readdir(threads)).map((thread) => threadOf(join(threads, thread)));
    return [`process ${pid}: ${command}`, ...(await Promise.all(lines))].join('\n  ');
  } catch {
    // The process has ended meanwhile, or is another user's.
    return null;
  }
}

async function threadOf(directory: string): Promise<string> {
  const stat = await readFile(join(directory, 'stat'), 'utf8');
  const name = /\((.*)\)/.exec(stat)![1]!;
  // Behind the name: state, parent, ..., user and system time as the 12th and 13th.
  const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const waitsIn = await readFile(join(directory, 'wchan'), 'utf8').catch(() => '');
  return `${name} ${state} parent ${parent} CPU ${Number(rest[9]) + Number(rest[10])} ${waitsIn}`;
}
