import { readFileSync } from 'node:fs';

export interface Usage {
  /** The most that the server took beyond what it had at rest, that its children took, and both at one time; MiB. */
  readonly serverMiB: number;
  readonly childMiB: number;
  readonly bothMiB: number;
  /** CPU of the server and its children. */
  readonly cpuSeconds: number;
}

/** Measures a server and its children. Linux only. */
export class UsageWatch {
  private readonly atRest: number;
  private server = 0;
  private children = 0;
  private both = 0;
  private readonly cpu: number;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pid: number) {
    this.atRest = residentMiB(pid);
    this.cpu = cpuSeconds(pid);
    this.timer = setInterval(() => this.look(), 20);
  }

  stop(): Usage {
    clearInterval(this.timer);
    const [serverMiB, childMiB, bothMiB] = [this.server, this.children, this.both];
    return { serverMiB, childMiB, bothMiB, cpuSeconds: cpuSeconds(this.pid) - this.cpu };
  }

  private look(): void {
    const server = residentMiB(this.pid) - this.atRest;
    const children = childrenOf(this.pid).reduce((sum, child) => sum + residentMiB(child), 0);
    this.server = Math.max(this.server, server);
    this.children = Math.max(this.children, children);
    this.both = Math.max(this.both, server + children);
  }
}

function residentMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Includes children that have ended (proc_pid_stat(5): utime, stime, cutime, cstime, in ticks of 10 ms). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
