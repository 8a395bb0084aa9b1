import { readFile, readlink } from 'node:fs/promises';

/** Mark of a process that cannot be identified. */
const UNKNOWN = 'unknown';

/**
 * Marks this process: the boot of its machine, its PID namespace, its id, and its start in clock ticks since the boot.
 * By the mark another process sees whether this one has died, even if containers or machines share a folder, or an id
 * is reused. `unknown` without /proc, or with one of another PID namespace.
 */
export async function ownMark(proc = PROC): Promise<string> {
  const place = await ownPlace(proc);
  const start = place && (await startOf(process.pid, proc).catch(() => null));
  return start ? `${place}.${process.pid}.${start}` : UNKNOWN;
}

/** @returns false if it cannot be seen from here */
export async function isGone(mark: string, proc = PROC): Promise<boolean> {
  const [boot, namespace, pid, start] = mark.split('.');
  if (start === undefined || `${boot}.${namespace}` !== (await ownPlace(proc))) return false;
  try {
    return (await startOf(Number(pid), proc)) !== start;
  } catch (error) {
    return GONE.includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

const PROC = '/proc';
/** Any other error leaves it open whether the process lives: this one may be out of file descriptors, or blind to it. */
const GONE: readonly string[] = ['ENOENT', 'ESRCH'];

/** Processes of one place see each other by their ids; null without /proc, or with one of other ids. */
async function ownPlace(proc: string): Promise<string | null> {
  try {
    if ((await readlink(`${proc}/self`)) !== String(process.pid)) return null;
    const boot = await readFile(`${proc}/sys/kernel/random/boot_id`, 'utf8');
    const namespace = await readlink(`${proc}/self/ns/pid`);
    return `${boot.trim().replaceAll('-', '')}.${/\d+/.exec(namespace)![0]}`;
  } catch {
    return null;
  }
}

/** Start of a process. @throws the system's error when it cannot be read */
async function startOf(pid: number, proc: string): Promise<string | undefined> {
  const stat = await readFile(`${proc}/${pid}/stat`, 'utf8');
  // The name, in parentheses, may contain spaces and parentheses; the start is the 20th field behind it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
